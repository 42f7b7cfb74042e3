import { type McpDoor, toolOf, wasStartedWith } from '../tools/index.ts';
import { GATEWAY_ROUTES, type SessionManifest } from '../wire/index.ts';
import type { AgentTools } from './notifier/index.ts';

interface KnownTools {
  mcp_door?: McpDoor;
  mcp_server?: string;
  mcp_url?: string;
  mcp_token_variable?: string;
  /** Command-line arguments and variables through which the launch passes our tools. */
  mcp?: { args?: string[]; env?: string[] };
  placed?: { mcp?: { server: string; instance_before: string | null } };
}

export interface ToolProcessFacts {
  baseUrl: string | undefined;
  /** Which process of the tool it is; null if unknown. */
  instanceId: string | null;
  /** Process ids that launches recorded. */
  launched?: readonly number[];
}

/**
 * Which of our tools the agent's process has: passed at its start, or found in its configuration where an earlier join
 * put them. A process that was started without the launch's additions has none.
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
    known.mcp_server !== undefined &&
    instanceId !== null &&
    !hasLaunchArguments(manifest, known, { instanceId, pids });
  const elsewhere =
    !missing && known.mcp_door === 'http' && known.mcp_url !== `${baseUrl}${GATEWAY_ROUTES.mcp.path}`;
  const launched = missing ? undefined : known.mcp_server;
  const server = elsewhere ? undefined : (launched ?? (isNew ? placed.server : undefined));
  const nameOf = toolOf(tool)?.mcp?.modelName;
  const mail = server && nameOf ? (operation: string) => nameOf(server, `mail_${operation}`) : undefined;
  return { mail, elsewhere, missing };
}

/** A tool may overwrite its command line with a title, so a launched one is recognised by its process id. */
function hasLaunchArguments(
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
