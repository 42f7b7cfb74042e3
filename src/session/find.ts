import {
  commandLine,
  conflict,
  invalid,
  isRouseError,
  nearest,
  notFound,
  unavailable,
  unsupported,
} from '../base/index.ts';
import { bareAgentName, CAPABILITIES, isHeadless, parseAgentId } from '../domain/index.ts';
import { BACKEND } from '../wire/houmao/index.ts';
import type { RegistryRecord } from '../wire/index.ts';
import { nameOnMachine } from './called.ts';
import { type FleetTarget, fleetKnows, fleetToken } from './fleet.ts';
import { findEnded, LiveSessions, lostRecords, publishForgotten } from './live-sessions.ts';
import {
  type ManifestFacts,
  manifestOfRecord,
  manifestOfSession,
  type PointerWorld,
  type SessionPointers,
} from './records/manifest-facts.ts';
import { byName, type RegistryView, readRegistry } from './records/registry-read.ts';
import { socketOf, socketOfTmuxVariable } from './records/session-paths.ts';
import { pointersOfPane, pointersOfSession } from './session-agents.ts';
import type { SessionContext } from './session-context.ts';
import { SessionTmux } from './session-tmux.ts';

/** Finds the agent that the flags name. */
export async function findTarget(context: SessionContext, flags: SelectorFlags): Promise<Target> {
  const selector = chooseSelector(onMachine(context, flags), isInsideTmux(context.env));
  const target = await resolveLiving(context, selector);
  return target.kind === 'fleet' ? { ...target, token: fleetToken(context.env, target.baseUrl) } : target;
}

/** The name that a person typed, or one with its project, becomes the name on the machine. */
export function onMachine(context: SessionContext, flags: SelectorFlags): SelectorFlags {
  const { agentName, called, pairPort } = flags;
  if (agentName === undefined || pairPort !== undefined) return flags;
  if (!called && !agentName.includes('/')) return flags;
  return { ...flags, agentName: nameOnMachine(context, agentName) };
}

/**
 * The lease of a record is for other programs that read the registry. Nothing renews it while no one asks for the
 * session. So a session that still lives is published again when someone asks for it.
 */
async function resolveLiving(context: SessionContext, selector: Selector): Promise<Target> {
  const world = targetWorld(context);
  try {
    return await resolveTarget(selector, world);
  } catch (error) {
    const byAgent = selector.by === 'agent_name' || selector.by === 'agent_id';
    if (!isRouseError(error) || error.code !== 'not_found' || !byAgent) throw error;
    const published = await publishForgotten(context, new LiveSessions(context.env));
    const lost = lostAgent(world.registry(), selector);
    if (lost) return targetOf(lost);
    if (published.length === 0) throw (await stoppedAgent(context, selector)) ?? error;
    return resolveTarget(selector, world);
  }
}

/** The one agent that the selector names among those whose lease ran out unnoticed. */
function lostAgent(view: RegistryView, selector: Selector): ManifestFacts | undefined {
  const lost = lostRecords(view);
  const named = selector.by === 'agent_name' ? byName(lost, selector.name) : [];
  const found = selector.by === 'agent_id' ? lost.filter((record) => record.agent_id === selector.id) : named;
  return found.length === 1 ? manifestOfRecord(found[0]!) : undefined;
}

/** The error for an agent that ran here and was stopped or left. */
async function stoppedAgent(context: SessionContext, selector: Selector): Promise<Error | undefined> {
  const wanted =
    selector.by === 'agent_name'
      ? { agentName: selector.name }
      : { agentId: selector.by === 'agent_id' ? selector.id : '' };
  const ended = findEnded(context, wanted);
  const view = readRegistry(context.settings.registryDir, context.clock.now().getTime());
  // A remaining record is more exact: the session ended without being stopped.
  if (!ended || view.expired.some((record) => record.agent_id === ended.agentId)) return undefined;
  const again = ended.joined
    ? '"rouse join NAME" adopts its session'
    : `"${commandLine`rouse launch ${ended.agentName}`}" starts it`;
  return notFound(`agent ${ended.agentName} was ${ended.joined ? 'left' : 'stopped'}`, {
    hint: `${again} again; "${commandLine`rouse why --agent-name ${ended.agentName}`}" shows what its last session did`,
    facts: { cause: 'stopped', session_root: ended.root },
  });
}

export function isInsideTmux(env: NodeJS.ProcessEnv): boolean {
  return socketOfTmuxVariable(env['TMUX']) !== undefined;
}

function targetWorld({ settings, env, clock }: SessionContext): TargetWorld {
  const server = new SessionTmux(socketOf(settings.tmuxSocket, env), env);
  const registry = (): RegistryView => readRegistry(settings.registryDir, clock.now().getTime());
  return {
    env,
    registry,
    nameOf: (facts) => new LiveSessions(env).nameOf(facts),
    pointersOf: (session) => pointersOfSession(server, session, registry),
    // The current session is on the tmux server this runs in, whatever the settings are.
    currentPointers: () =>
      pointersOfPane(new SessionTmux(socketOf(undefined, env), env), env['TMUX_PANE'] ?? '', registry),
    fleetKnows: (baseUrl, agentRef) =>
      fleetKnows({ baseUrl, token: fleetToken(env, baseUrl) }, agentRef, env),
    defaultFleetPort: pairPort(env['CAO_PORT']),
  };
}

function pairPort(text: string | undefined): number {
  const port = Number(text);
  return text && Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : DEFAULT_FLEET_PORT;
}

/** The default port of a fleet server. */
const DEFAULT_FLEET_PORT = 9889;

/** A session of this host, or one that a fleet server owns. */
export type Target = LocalTarget | FleetTarget;

export interface LocalTarget {
  kind: 'local';
  facts: ManifestFacts;
}

/** What resolution needs from outside. Tests use tables. */
export interface TargetWorld extends PointerWorld {
  /** Undefined if there is no such session. */
  pointersOf(session: string): Promise<SessionPointers | undefined>;
  /** The tmux session this process is in. */
  currentPointers(): Promise<SessionPointers | undefined>;
  /** Whether a fleet server responds there and knows the agent. */
  fleetKnows(baseUrl: string, agentRef: string): Promise<boolean>;
  defaultFleetPort: number;
}

export async function resolveTarget(selector: Selector, world: TargetWorld): Promise<Target> {
  switch (selector.by) {
    case 'agent_id':
    case 'agent_name':
      return resolveAgent(selector, world);
    case 'tmux_session': {
      const pointers = await world.pointersOf(selector.name);
      if (!pointers) {
        throw notFound(`there is no tmux session "${selector.name}" here`, {
          hint: 'see "rouse agents list"; with a private tmux socket set ROUSE_TMUX_SOCKET',
        });
      }
      return targetOf(await manifestOfSession(pointers, 'terminal_name', world));
    }
    case 'current_session': {
      const pointers = await world.currentPointers();
      if (!pointers) throw unavailable('the current tmux session cannot be read');
      return targetOf(await manifestOfSession(pointers, 'agent_id', world));
    }
  }
}

type AgentSelector = Extract<Selector, { by: 'agent_id' | 'agent_name' }>;

async function resolveAgent(selector: AgentSelector, world: TargetWorld): Promise<Target> {
  const ref = selector.by === 'agent_id' ? selector.id : selector.name;
  if (selector.pairPort !== undefined) {
    return {
      kind: 'fleet',
      baseUrl: `http://127.0.0.1:${selector.pairPort}`,
      agentRef: ref,
      facts: undefined,
    };
  }
  const view = world.registry();
  const record = oneOf(selector, view);
  if (record) return targetOf(manifestOfRecord(record));
  const baseUrl = `http://127.0.0.1:${world.defaultFleetPort}`;
  if (await world.fleetKnows(baseUrl, ref))
    return { kind: 'fleet', baseUrl, agentRef: ref, facts: undefined };
  throw noSuchAgent(selector, view);
}

function oneOf(selector: AgentSelector, view: RegistryView): RegistryRecord | undefined {
  if (selector.by === 'agent_id') return view.fresh.find((record) => record.agent_id === selector.id);
  const matches = byName(view.fresh, selector.name);
  if (matches.length > 1) {
    throw conflict(`${matches.length} agents are named "${selector.name}"`, {
      hint: `choose one with --agent-id: ${matches.map((record) => record.agent_id).join(', ')}`,
      facts: { cause: 'ambiguous', agent_ids: matches.map((record) => record.agent_id) },
    });
  }
  return matches[0];
}

function noSuchAgent(selector: AgentSelector, view: RegistryView): Error {
  const what = selector.by === 'agent_id' ? `id "${selector.id}"` : `name "${selector.name}"`;
  const expired =
    selector.by === 'agent_id'
      ? view.expired.some((record) => record.agent_id === selector.id)
      : byName(view.expired, selector.name).length > 0;
  if (expired) {
    return notFound(`the registry record of the agent with ${what} has expired`, {
      hint: 'its session is gone; "rouse why" shows what it did, "rouse launch TOOL NAME" starts a new one',
      facts: { cause: 'lease_expired' },
    });
  }
  const known = view.fresh.map((record) =>
    selector.by === 'agent_id' ? record.agent_id : record.agent_name,
  );
  const wanted = selector.by === 'agent_id' ? selector.id : selector.name;
  const [close] = nearest(wanted, known);
  return notFound(`there is no agent with ${what} on this host`, {
    hint: close
      ? `did you mean "${close}"? "rouse ls" shows all`
      : '"rouse ls" shows the agents there are; for one of a fleet server use --pair-port',
  });
}

/** Its manifest alone decides who owns a session. */
export function targetOf(facts: ManifestFacts): Target {
  // A server may own only the terminal; gateway, queue and mail are of this host.
  if (CAPABILITIES[facts.backend].owner !== null) return { kind: 'local', facts };
  if (facts.backend === BACKEND.codexServer) {
    throw unsupported(
      `agent ${facts.agentName} runs without tmux (${facts.backend}), so it can have no gateway`,
      {
        facts: { cause: 'unsupported_backend', backend: facts.backend },
      },
    );
  }
  const { serverBaseUrl, serverAgentRef } = facts;
  const served = isHeadless(facts.backend) && serverBaseUrl !== undefined && serverAgentRef !== undefined;
  if (facts.backend !== BACKEND.server && !served) return { kind: 'local', facts };
  if (serverBaseUrl === undefined || serverAgentRef === undefined) {
    throw invalid(`${facts.path} names no fleet server for this agent, and none is guessed`, {
      hint: 'gateway_authority.attach needs api_base_url and managed_agent_ref',
      facts: { cause: 'no_attach_authority' },
    });
  }
  return { kind: 'fleet', baseUrl: serverUrl(serverBaseUrl, facts.path), agentRef: serverAgentRef, facts };
}

/** The server in a manifest is used unchanged, and only if it is an HTTP address. */
function serverUrl(text: string, file: string): string {
  try {
    const url = new URL(text);
    if (url.protocol === 'http:' && url.pathname === '/' && url.search === '') return url.origin;
  } catch {
    // Refused below.
  }
  throw invalid(
    `${file}: gateway_authority.attach.api_base_url must look like http://host:port, not ${JSON.stringify(text)}`,
  );
}

export function requireLocal(target: Target, action: string): ManifestFacts {
  if (target.kind === 'local') return target.facts;
  throw unsupported(
    `${action} works on agents of this host; this one belongs to the server at ${target.baseUrl}`,
  );
}

/** The target flags that all commands of the agents family have. */
export interface SelectorFlags {
  agentName?: string | undefined;
  /** The name is as a person calls the agent: one of the caller's project first. Else it is the one on the machine. */
  called?: boolean | undefined;
  agentId?: string | undefined;
  currentSession?: boolean | undefined;
  targetTmuxSession?: string | undefined;
  pairPort?: number | undefined;
}

export type Selector =
  | { by: 'agent_name'; name: string; pairPort?: number }
  | { by: 'agent_id'; id: string; pairPort?: number }
  | { by: 'tmux_session'; name: string }
  | { by: 'current_session'; implied: boolean };

const HOW_TO_NAME_ONE =
  'name one with --agent-name, --agent-id or --target-tmux-session; "rouse ls" shows the agents of this host';

/**
 * Chooses the agent from the flags. It may be named in exactly one way. Inside tmux, without any, the current session is
 * chosen. `--pair-port` names the server of a named agent; a session's manifest names its own server.
 */
export function chooseSelector(flags: SelectorFlags, insideTmux: boolean): Selector {
  refuseTwoWays(flags);
  refusePairPortAlone(flags);
  const port = flags.pairPort === undefined ? {} : { pairPort: flags.pairPort };
  if (flags.agentId !== undefined) {
    return { by: 'agent_id', id: parseAgentId(flags.agentId, '--agent-id'), ...port };
  }
  if (flags.agentName !== undefined) {
    return {
      by: 'agent_name',
      name: parseAgentId(bareAgentName(flags.agentName.trim()), '--agent-name'),
      ...port,
    };
  }
  if (flags.targetTmuxSession !== undefined) {
    return { by: 'tmux_session', name: tmuxName(flags.targetTmuxSession) };
  }
  if (flags.currentSession && !insideTmux) {
    throw invalid('--current-session works only inside a tmux session', { hint: HOW_TO_NAME_ONE });
  }
  if (!insideTmux)
    throw invalid('no agent was named, and this is not inside a tmux session', { hint: HOW_TO_NAME_ONE });
  return { by: 'current_session', implied: !flags.currentSession };
}

function refuseTwoWays(flags: SelectorFlags): void {
  if (flags.agentId !== undefined && flags.agentName !== undefined) {
    throw invalid('use --agent-id or --agent-name, not both');
  }
  const used = [
    flags.agentId !== undefined && '--agent-id',
    flags.agentName !== undefined && '--agent-name',
    flags.targetTmuxSession !== undefined && '--target-tmux-session',
    flags.currentSession && '--current-session',
  ].filter((name): name is string => typeof name === 'string');
  if (used.length > 1) throw invalid(`use only one of ${used.join(' and ')}`);
}

function refusePairPortAlone(flags: SelectorFlags): void {
  if (flags.pairPort === undefined || flags.agentId !== undefined || flags.agentName !== undefined) return;
  const other =
    flags.targetTmuxSession !== undefined
      ? '--target-tmux-session'
      : flags.currentSession
        ? '--current-session'
        : undefined;
  throw invalid(
    other
      ? `--pair-port cannot be used with ${other}: the session's manifest names its server`
      : '--pair-port needs --agent-name or --agent-id',
    { hint: '--pair-port selects a server, not the port a gateway listens on; that is --gateway-port' },
  );
}

/** tmux reads `:` and `.` as window and pane, `=` as exact, and `$`, `@`, `%` as ids, so no name may contain them. */
function tmuxName(text: string): string {
  const name = text.trim();
  if (name === '') throw invalid('--target-tmux-session must not be blank');
  if (/[:.\u0000-\u001f\u007f]/.test(name) || /^[=$@%]/.test(name)) {
    throw invalid(`--target-tmux-session ${JSON.stringify(name)} is not a session name`, {
      hint: 'use the whole name as "tmux list-sessions" shows it; windows and panes cannot be named here',
    });
  }
  return name;
}
