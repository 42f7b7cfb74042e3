import * as os from 'node:os';
import * as path from 'node:path';
import { BACKEND } from '../houmao/index.ts';
import { MANIFEST_BY } from './beside.ts';
import type { SessionManifest } from './manifest.ts';
import { sessionManifest } from './manifest.ts';
import { type SplitFile, splitFile } from './split-file.ts';

type Json = Record<string, unknown>;

const WITHOUT_WORDS: readonly string[] = ['runtime_launch_plan', 'unavailable'];
/** For an agent without a role. */
const NO_ROLE = 'none';
const METHODS = [
  'native_developer_instructions',
  'native_append_system_prompt',
  'bootstrap_message',
  'cao_profile',
];

/**
 * A manifest as it is written: manifest.json parses as schema 4 of the source, which requires some fields that mean nothing
 * here. Our own fields are in the file beside it. `root` is the directory of the session.
 */
export function publishManifest(manifest: SessionManifest, root: string): SplitFile {
  const { launch_plan: plan, cao } = manifest;
  const role_name = manifest.role_name || NO_ROLE;
  const home = plan.home_selector;
  const complete: SessionManifest = {
    ...manifest,
    role_name,
    // Required by the source; there is no such file here.
    brain_manifest_path: manifest.brain_manifest_path || path.join(root, 'brain-manifest.yaml'),
    backend_state: manifest.backend_state ?? {},
    launch_policy_provenance: provenanceOf(manifest),
    launch_plan: {
      ...plan,
      executable: plan.executable || plan.tool,
      working_directory: plan.working_directory ?? manifest.working_directory,
      home_selector: home?.env_var && home.home_path ? home : { env_var: 'HOME', home_path: os.homedir() },
      role_injection: { method: methodOf(manifest), role_name },
      launch_policy_provenance: null,
    },
    ...(cao && {
      cao: {
        ...cao,
        profile_name: cao.profile_name || 'unknown',
        profile_path: cao.profile_path || 'unknown',
      },
    }),
  };
  const { published, beside } = splitFile(sessionManifest, complete, MANIFEST_BY);
  return {
    published: withoutWords(published, manifest),
    beside: { ...beside, home_given: home != null },
  };
}

/** With the launch plan as its posture, an authority has no arguments or variables: they are kept in the plan. */
function withoutWords(
  published: Json,
  { launch_plan: plan, agent_launch_authority: authority }: SessionManifest,
): Json {
  if (!authority || !WITHOUT_WORDS.includes(authority.posture_kind)) return published;
  const metadata: Json = { ...plan.metadata };
  const noted = { ...(metadata['rouse'] as Json | undefined), launch_env: authority.launch_env };
  return {
    ...published,
    agent_launch_authority: {
      ...(published['agent_launch_authority'] as Json),
      launch_args: null,
      launch_env: null,
    },
    launch_plan: { ...(published['launch_plan'] as Json), metadata: { ...metadata, rouse: noted } },
  };
}

/** Only the version of the tool is known. */
function provenanceOf({ launch_policy_provenance: known }: SessionManifest): Record<string, unknown> | null {
  const version = known?.['detected_tool_version'];
  if (typeof version !== 'string') return null;
  return {
    requested_operator_prompt_mode: 'as_is',
    selected_strategy_id: 'rouse',
    selection_source: 'registry',
    override_env_var_name: null,
    ...known,
  };
}

/** How a role reaches the tool, with the source's name for it. */
function methodOf({ backend, tool, launch_plan: { role_injection: role } }: SessionManifest): string {
  if (backend === BACKEND.cao) return 'cao_profile';
  const method = role?.method ?? NO_ROLE;
  if (METHODS.includes(method)) return method;
  if (method !== 'cli_flag') return 'bootstrap_message';
  return tool === 'codex' ? 'native_developer_instructions' : 'native_append_system_prompt';
}
