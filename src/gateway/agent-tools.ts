import { type McpDoor, toolOf, wasStartedWith } from '../tools/index.ts';
import { GATEWAY_ROUTES, type SessionManifest } from '../wire/index.ts';
import type { AgentTools } from './notifier/index.ts';

interface KnownTools {
  mcp_door?: McpDoor;
  mcp_server?: string;
  mcp_url?: string;
  mcp_token_variable?: string;
  /** Words of the command line and names of variables by which the launch gives our tools. */
  mcp?: { args?: string[]; env?: string[] };
  placed?: { mcp?: { server: string; instance_before: string | null } };
}

export interface ToolProcessFacts {
  baseUrl: string | undefined;
  /** Which process of the tool it is; null when none is known. */
  instanceId: string | null;
  /** Process ids that launches have written down. */
  launched?: readonly number[];
}

/**
 * What the tool was given of ours at its start, or found in its configuration where a join had put it before. A process that
 * was started without what the launch adds has none.
 */
export function agentTools(
  manifest: SessionManifest,
  { baseUrl, instanceId, launched: pids = [] }: ToolProcessFacts,
): AgentTools {
  const { tool, launch_plan: plan } = manifest;
  const known = (plan.metadata?.['rouse'] ?? {}) as KnownTools;
  const placed = known.placed?.mcp;
  const isNew = instanceId !== null && placed !== undefined && placed.instance_before !== instanceId;
  const missing =
    known.mcp_server !== undefined && instanceId !== null && !wasGiven(manifest, known, { instanceId, pids });
  const elsewhere =
    !missing && known.mcp_door === 'http' && known.mcp_url !== `${baseUrl}${GATEWAY_ROUTES.mcp.path}`;
  const launched = missing ? undefined : known.mcp_server;
  const server = elsewhere ? undefined : (launched ?? (isNew ? placed.server : undefined));
  const nameOf = toolOf(tool)?.mcp?.modelName;
  const mail = server && nameOf ? (operation: string) => nameOf(server, `mail_${operation}`) : undefined;
  return { mail, elsewhere, missing };
}

/** A tool may overwrite its own command line with a title, so one that a launch started is known by its id. */
function wasGiven(
  manifest: SessionManifest,
  known: KnownTools,
  { instanceId, pids }: { instanceId: string; pids: readonly number[] },
): boolean {
  const pid = Number.parseInt(instanceId, 10);
  if (pids.includes(pid)) return true;
  const variables = manifest.agent_launch_authority?.launch_env ?? [];
  const names = known.mcp?.env ?? [];
  return wasStartedWith(pid, {
    words: known.mcp?.args ?? [],
    variables: Object.fromEntries(
      variables
        .filter(({ name }) => names.includes(name))
        .map((each) => [each.name, each.mode === 'literal' ? each.value : undefined]),
    ),
    present: known.mcp_token_variable === undefined ? [] : [known.mcp_token_variable],
  });
}
