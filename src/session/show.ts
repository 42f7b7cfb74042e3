import { spawn } from 'node:child_process';
import { commandLine, isProcessAlive, shellWords, unavailable } from '../base/index.ts';
import { CAPABILITIES, relaunchCommand } from '../domain/index.ts';
import { isSameSocket } from '../tmux/index.ts';
import { findTool } from './equip/programs.ts';
import { localStatus } from './gateway/gateway-status.ts';
import type { CapabilityState } from './gateway/publish.ts';
import { followSession } from './live-sessions.ts';
import { type RecordedGateway, readRecordedGateway } from './records/live-gateway.ts';
import { launchFacts, type ManifestFacts, section } from './records/manifest-facts.ts';
import { branchOf, projectOf } from './records/project.ts';
import { readRecord } from './records/registry-read.ts';
import { type SessionPaths, serverOf, sessionPaths, socketOfTmuxVariable } from './records/session-paths.ts';
import type { SessionContext } from './session-context.ts';
import { tmuxOf } from './session-tmux.ts';

/** Everything about one agent for a person or a script. Contains no secrets. */
export async function showAgent(context: SessionContext, recorded: ManifestFacts): Promise<ShownAgent> {
  return (await lookAtAgent(context, recorded)).shown;
}

export type ShownAgent = Awaited<ReturnType<typeof lookAtAgent>>['shown'];

/** The same, with the whole status of its gateway. */
export async function lookAtAgent(context: SessionContext, recorded: ManifestFacts) {
  const { facts } = await followSession(context, recorded);
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
    short_name: facts.shortName,
    project: projectOf(facts),
    branch: branchOf(facts.workingDirectory),
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

/** The recorded gateway, if its process runs. */
function liveRecord(paths: SessionPaths): RecordedGateway | undefined {
  const recorded = readRecordedGateway(paths);
  return recorded && typeof recorded !== 'string' && isProcessAlive(recorded.identity) ? recorded : undefined;
}

/** How the tool got our tools, and what brings them back if it loses them. */
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
    after_restart: absence?.whileRunning ?? null,
  };
}

interface McpShown {
  door: string;
  server: string;
  url: string | null;
  /** What to do if the server was away when the tool started, or while it ran. */
  if_missing: string | null;
  after_restart: string | null;
}

function capability(facts: ManifestFacts, live: boolean): CapabilityState {
  if (!CAPABILITIES[facts.backend].gateway) return 'not_capable';
  return live ? 'live' : 'capable';
}

interface WayIn {
  session: string;
  socket: string;
  /** attach: from a plain terminal. switch: inside the same tmux server. replace: inside another, returning afterwards. */
  how: 'attach' | 'switch' | 'replace';
  /** The command that shows the session in this terminal. */
  command: string[];
}

/** How the current terminal can show an agent's session. */
export function wayInto(
  { env }: Pick<SessionContext, 'env'>,
  facts: Pick<ManifestFacts, 'tmuxSessionName' | 'tmuxSocket'> &
    Partial<Pick<ManifestFacts, 'agentPane' | 'sharesSession'>>,
): WayIn {
  const socket = serverOf(facts, env);
  const session = facts.tmuxSessionName;
  const at = (server: string): string[] =>
    isSameSocket(server, serverOf({}, env)) ? ['tmux'] : ['tmux', '-S', server];
  const target = facts.sharesSession ? `=${session}:.${facts.agentPane}` : `=${session}`;
  const attach = [...at(socket), 'attach-session', '-t', target];
  const own = socketOfTmuxVariable(env['TMUX']);
  if (own === undefined) return { session, socket, how: 'attach', command: attach };
  if (isSameSocket(own, socket))
    return { session, socket, how: 'switch', command: [...at(socket), 'switch-client', '-t', target] };
  // tmux inside tmux is confusing, so the client leaves its server for a while instead.
  const back = ['tmux', '-S', own, 'attach-session'];
  const there = `${typed(attach)}; exec ${typed(back)}`;
  return { session, socket, how: 'replace', command: ['tmux', '-S', own, 'detach-client', '-E', there] };
}

/** The command as a line to type. A word that begins with `=` is quoted, because zsh would expand it. */
export function wayInWords(
  context: Pick<SessionContext, 'env'>,
  facts: Parameters<typeof wayInto>[1],
): string {
  return lineOf(wayInto(context, facts));
}

export function lineOf({ command }: WayIn): string {
  return typed(command);
}

/** The same for a live session, with its current name. */
export async function findWayInto(context: SessionContext, recorded: ManifestFacts): Promise<WayIn> {
  const { facts, lives } = await followSession(context, recorded);
  if (lives) return wayInto(context, facts);
  throw unavailable(`the tmux session of agent ${facts.agentName} is gone`, {
    hint: `"${relaunchCommand(facts.agentName)}" makes it again; "${commandLine`rouse stop ${facts.agentName}`}" forgets it`,
    facts: { cause: 'session_lost' },
  });
}

function typed(words: readonly string[]): string {
  return words.map((word) => (word.startsWith('=') ? `'${word}'` : shellWords([word]))).join(' ');
}

/** Shown in the status line of a client that was switched: the key that ends an attach would detach its whole terminal. */
const WAY_BACK = [
  'display-message',
  '-d',
  '6000',
  '#{prefix} L leads back; #{prefix} d would detach this terminal',
];

/** Hands this terminal to tmux until the person leaves it; resolves with the exit code. */
export function go({ command, how }: WayIn, env: NodeJS.ProcessEnv): Promise<number> {
  const [program = 'tmux', ...words] = how === 'switch' ? [...command, ';', ...WAY_BACK] : command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: 'inherit', env });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
