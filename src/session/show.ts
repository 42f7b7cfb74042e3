import { isProcessAlive } from '../base/index.ts';
import { CAPABILITIES } from '../domain/index.ts';
import { findTool } from './equip/find-tool.ts';
import { localStatus } from './gateway/gateway-status.ts';
import { type RecordedGateway, readRecordedGateway } from './records/live-gateway.ts';
import { launchFacts, type ManifestFacts, section } from './records/manifest-facts.ts';
import { readRecord } from './records/registry-read.ts';
import { type SessionPaths, sessionPaths } from './records/session-paths.ts';
import type { SessionContext } from './session-context.ts';
import { tmuxOf } from './session-tmux.ts';
import { followSession } from './target/follow-session.ts';
import type { CapabilityState } from './target/publish-capability.ts';

/** Everything about one agent that a person or a script may want to know. Nothing here is a secret. */
export async function showAgent(context: SessionContext, given: ManifestFacts): Promise<ShownAgent> {
  return (await lookAtAgent(context, given)).shown;
}

export type ShownAgent = Awaited<ReturnType<typeof lookAtAgent>>['shown'];

/** The same with the whole status of its gateway. */
export async function lookAtAgent(context: SessionContext, given: ManifestFacts) {
  const { facts } = await followSession(context, given);
  const paths = sessionPaths(facts.root);
  const tmux = tmuxOf(context, facts);
  const { status, notes } = await localStatus(context, facts);
  const pane = await tmux.paneOf(facts);
  const plan = section(facts.document, 'launch_plan');
  const ours = launchFacts(facts.document);
  const names = Array.isArray(ours['process_names']) ? (ours['process_names'] as string[]) : [facts.tool];
  const tool = pane ? findTool(pane.pid, names) : undefined;
  const gateway = liveRecord(paths);
  const record = readRecord(context.settings.registryDir, facts.agentId);
  const shown = {
    agent_name: facts.agentName,
    agent_id: facts.agentId,
    tool: facts.tool,
    backend: facts.backend,
    session_id: facts.sessionId,
    session: pane ? ('running' as const) : ('lost' as const),
    working_directory: facts.workingDirectory,
    tmux: {
      session_name: facts.tmuxSessionName,
      socket: facts.tmuxSocket ?? null,
      pane_id: pane?.paneId ?? null,
    },
    process: {
      pane_pid: pane?.pid ?? null,
      tool_pid: tool?.identity.pid ?? null,
      tool_running: tool !== undefined,
    },
    launch: { executable: plan['executable'] ?? null, args: plan['args'] ?? [] },
    mailbox: (plan['mailbox'] ?? null) as Record<string, unknown> | null,
    mcp: await mcpShown(facts.tool, ours),
    transcript_path: ours['transcript_path'] ?? null,
    control_path: ours['control_path'] ?? null,
    signals_dir: ours['signals_dir'] ?? null,
    paths: {
      session_root: paths.root,
      manifest: paths.manifest,
      gateway_root: paths.gateway,
      state: paths.state,
      log: paths.log,
      events: paths.events,
    },
    gateway_capability: capability(facts, status.gateway_health === 'healthy'),
    gateway: {
      health: status.gateway_health,
      pid: gateway?.identity.pid ?? null,
      host: status.gateway_host,
      port: status.gateway_port,
      execution_mode: status.execution_mode,
      window_id: status.gateway_tmux_window_id,
      request_admission: status.request_admission,
    },
    registry: record && record !== 'malformed' ? { lease_expires_at: record.lease_expires_at } : null,
    notes,
  };
  return { shown, status };
}

/** The recorded gateway, while its process runs. */
function liveRecord(paths: SessionPaths): RecordedGateway | undefined {
  const recorded = readRecordedGateway(paths);
  return recorded && typeof recorded !== 'string' && isProcessAlive(recorded.identity) ? recorded : undefined;
}

/** How it was given our tools, and what brings them back when the tool has lost them. */
async function mcpShown(tool: string, ours: Record<string, unknown>): Promise<McpShown | null> {
  const { mcp_door: door, mcp_server: server, mcp_url: url } = ours;
  if (typeof door !== 'string') return null;
  const { toolOf } = await import('../tools/index.ts');
  const absence = door === 'http' ? toolOf(tool)?.mcp?.absence : undefined;
  return {
    door,
    server: String(server),
    url: typeof url === 'string' ? url : null,
    if_missing: absence?.atStart ?? null,
    after_restart: absence?.meanwhile ?? null,
  };
}

interface McpShown {
  door: string;
  server: string;
  url: string | null;
  /** Of a server that was away when the tool started, and while it ran. */
  if_missing: string | null;
  after_restart: string | null;
}

function capability(facts: ManifestFacts, live: boolean): CapabilityState {
  if (!CAPABILITIES[facts.backend].gateway) return 'not_capable';
  return live ? 'live' : 'capable';
}
