import * as z from 'zod';
import {
  BACKEND_KINDS,
  type BackendKind,
  EXECUTION_MODES,
  type FieldProblem,
  LISTENER_HOSTS,
  tmuxHandleProblems,
} from '../../domain/index.ts';
import { describeIssues } from '../describe-issues.ts';
import { integer, oneOf, port, rules, strict } from '../fields.ts';
import { BACKEND } from '../houmao/index.ts';

const optional = z.string().nullish();
const parsingMode = z.enum(['cao_only', 'shadow_only']);

const localMetadata = rules(
  strict({
    session_id: optional,
    tool: z.string(),
    managed_api_base_url: optional,
    managed_agent_ref: optional,
  }),
  ({ managed_api_base_url: url, managed_agent_ref: ref }) =>
    (url == null) === (ref == null)
      ? []
      : [
          {
            path: ['managed_agent_ref'],
            message: 'set both or neither of managed_api_base_url and managed_agent_ref',
          },
        ],
);

const caoMetadata = strict({
  api_base_url: z.string(),
  terminal_id: z.string(),
  profile_name: z.string(),
  profile_path: z.string(),
  parsing_mode: parsingMode,
  tmux_window_name: optional,
});

const serverMetadata = strict({
  api_base_url: z.string(),
  session_name: z.string(),
  terminal_id: z.string(),
  parsing_mode: parsingMode,
  tmux_window_name: optional,
});

const metadataOf = (backend: BackendKind) =>
  backend === BACKEND.cao ? caoMetadata : backend === BACKEND.server ? serverMetadata : localMetadata;

const fields = {
  schema_version: z.literal(1),
  attach_identity: z.string(),
  backend: z.enum(BACKEND_KINDS),
  tmux_session_name: z.string(),
  working_directory: z.string(),
  backend_metadata: z.record(z.string(), z.unknown()),
  manifest_path: optional,
  agent_def_dir: optional,
  runtime_session_id: optional,
  desired_host: z.enum(LISTENER_HOSTS).nullish(),
  desired_port: port.nullish(),
};

/** The shape of `backend_metadata` depends on the backend. */
function metadataProblems(value: { backend: BackendKind; backend_metadata: unknown }): FieldProblem[] {
  if (value.backend === BACKEND.codexServer) {
    return [{ path: ['backend'], message: 'must be a backend that a gateway can serve' }];
  }
  const { error } = metadataOf(value.backend).safeParse(value.backend_metadata);
  return describeIssues(error?.issues ?? [], value.backend_metadata, 'backend_metadata').map(
    ({ loc, msg }) => ({
      path: loc.map(String),
      message: msg,
    }),
  );
}

/** attach.json: how a gateway starts. Rebuilt from the manifest; never an authority. */
export const attachFile = rules(strict(fields), metadataProblems);

const live = {
  gateway_pid: integer.positive().nullish(),
  gateway_host: z.enum(LISTENER_HOSTS).nullish(),
  gateway_port: port.nullish(),
  gateway_protocol_version: z.literal('v1').nullish(),
  gateway_execution_mode: oneOf(EXECUTION_MODES).nullish(),
};
const liveNames = Object.keys(live) as (keyof typeof live)[];

/** gateway_manifest.json: information for other programs; never an input of attach. */
export const gatewayManifestFile = rules(
  strict({
    ...fields,
    ...live,
    gateway_tmux_window_id: optional,
    gateway_tmux_window_index: optional,
    gateway_tmux_pane_id: optional,
  }),
  (value) => {
    const present = liveNames.filter((field) => value[field] != null);
    const problems = metadataProblems(value);
    if (present.length > 0 && present.length < liveNames.length) {
      problems.push({ path: ['gateway_pid'], message: `set all or none of ${liveNames.join(', ')}` });
    }
    return problems.concat(
      tmuxHandleProblems(
        {
          windowId: value.gateway_tmux_window_id,
          windowIndex: value.gateway_tmux_window_index,
          paneId: value.gateway_tmux_pane_id,
        },
        {
          mode: value.gateway_execution_mode ?? 'detached_process',
          required: ['windowId', 'windowIndex', 'paneId'],
          names: {
            windowId: 'gateway_tmux_window_id',
            windowIndex: 'gateway_tmux_window_index',
            paneId: 'gateway_tmux_pane_id',
          },
        },
      ),
    );
  },
);

export type AttachFile = z.infer<typeof attachFile>;
export type GatewayManifestFile = z.infer<typeof gatewayManifestFile>;

/** The first of these that is not blank. */
export function attachIdentity(candidates: {
  runtimeSessionId?: string | null | undefined;
  agentId?: string | null | undefined;
  agentName?: string | null | undefined;
  tmuxSessionName?: string | null | undefined;
  sessionRootName: string;
}): string {
  const { runtimeSessionId, agentId, agentName, tmuxSessionName, sessionRootName } = candidates;
  const named = [runtimeSessionId, agentId, agentName, tmuxSessionName].find((each) => each?.trim());
  return named ?? sessionRootName;
}
