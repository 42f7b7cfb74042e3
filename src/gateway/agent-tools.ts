import { type McpDoor, toolOf } from '../tools/index.ts';
import { GATEWAY_ROUTES, type SessionManifest } from '../wire/index.ts';
import type { AgentTools } from './notifier/index.ts';

interface KnownTools {
  mcp_door?: McpDoor;
  mcp_server?: string;
  mcp_url?: string;
  placed?: { mcp?: { server: string; instance_before: string | null } };
}

/** What the tool was given of ours at its start, or found in its configuration where a join had put it before. */
export function agentTools(
  { tool, launch_plan: plan }: SessionManifest,
  baseUrl: string | undefined,
  instanceId: string | null,
): AgentTools {
  const known = (plan.metadata?.['rouse'] ?? {}) as KnownTools;
  const placed = known.placed?.mcp;
  const isNew = instanceId !== null && placed !== undefined && placed.instance_before !== instanceId;
  const elsewhere = known.mcp_door === 'http' && known.mcp_url !== `${baseUrl}${GATEWAY_ROUTES.mcp.path}`;
  const server = elsewhere ? undefined : (known.mcp_server ?? (isNew ? placed.server : undefined));
  const nameOf = toolOf(tool)?.mcp?.modelName;
  const mail = server && nameOf ? (operation: string) => nameOf(server, `mail_${operation}`) : undefined;
  return { mail, elsewhere };
}
