import { commandLine, isRouseError, notFound } from '../../base/index.ts';
import { readRegistry } from '../records/registry-read.ts';
import type { SessionPointers } from '../records/session-pointers.ts';
import { socketOf, socketOfTmuxVariable } from '../records/tmux-socket.ts';
import type { SessionContext } from '../session-context.ts';
import { SessionTmux } from '../session-tmux.ts';
import { fleetKnows, fleetToken } from './fleet-server.ts';
import { LiveSessions } from './live-sessions.ts';
import { DEFAULT_FLEET_PORT, resolveTarget, type Target, type TargetWorld } from './resolve-target.ts';
import { chooseSelector, type Selector, type SelectorFlags } from './selector.ts';

/** The agent the flags name, wherever this command runs. */
export async function findTarget(context: SessionContext, flags: SelectorFlags): Promise<Target> {
  const selector = chooseSelector(flags, isInsideTmux(context.env));
  const target = await resolveLiving(context, selector);
  return target.kind === 'fleet' ? { ...target, token: fleetToken(context.env, target.baseUrl) } : target;
}

/**
 * The lease of a record is for other programs that read the registry. Nobody renews it for a session that nobody asks
 * after, so one whose session still lives is published again when it is asked for, and found.
 */
async function resolveLiving(context: SessionContext, selector: Selector): Promise<Target> {
  const world = targetWorld(context);
  try {
    return await resolveTarget(selector, world);
  } catch (error) {
    const byAgent = selector.by === 'agent_name' || selector.by === 'agent_id';
    if (!isRouseError(error) || error.code !== 'not_found' || !byAgent) throw error;
    const { publishForgotten } = await import('./publish-forgotten.ts');
    const published = await publishForgotten(context, new LiveSessions(context.env));
    if (published.length === 0) throw (await stoppedAgent(context, selector)) ?? error;
    return resolveTarget(selector, world);
  }
}

/** Says of an agent that ran here once what became of it. */
async function stoppedAgent(context: SessionContext, selector: Selector): Promise<Error | undefined> {
  const { findEnded } = await import('./find-ended.ts');
  const wanted =
    selector.by === 'agent_name'
      ? { agentName: selector.name }
      : { agentId: selector.by === 'agent_id' ? selector.id : '' };
  const ended = findEnded(context, wanted);
  const view = readRegistry(context.settings.registryDir, context.clock.now().getTime());
  // A record that is left tells more: the session ended without being stopped.
  if (!ended || view.expired.some((record) => record.agent_id === ended.agentId)) return undefined;
  const again = ended.joined ? '"rouse join NAME" adopts its session' : '"rouse launch TOOL NAME" starts it';
  return notFound(`agent ${ended.agentName} was ${ended.joined ? 'left' : 'stopped'}`, {
    hint: `${again} again; "${commandLine`rouse why --agent-name ${ended.agentName}`}" shows what its last session did`,
    facts: { cause: 'stopped', session_root: ended.root },
  });
}

export function isInsideTmux(env: NodeJS.ProcessEnv): boolean {
  return socketOfTmuxVariable(env['TMUX']) !== undefined;
}

export function targetWorld({ settings, env, clock }: SessionContext): TargetWorld {
  const server = new SessionTmux(socketOf(settings.tmuxSocket, env), env);
  return {
    env,
    registry: () => readRegistry(settings.registryDir, clock.now().getTime()),
    nameOf: (facts) => new LiveSessions(env).nameOf(facts),
    pointersOf: (session) => pointers(server, session),
    async currentPointers() {
      // The session one is in is on the server one is in, whatever the settings say.
      const own = new SessionTmux(socketOf(undefined, env), env);
      const pane = env['TMUX_PANE'] ?? '';
      const session = await own.sessionOfPane(pane);
      if (session === undefined) return undefined;
      const window = await own.pointerOfPane(pane);
      const server = own.socket;
      return window === undefined
        ? pointers(own, session)
        : { session, server, manifestPath: window, agentId: undefined };
    },
    fleetKnows: (baseUrl, agentRef) => fleetKnows({ baseUrl, token: fleetToken(env, baseUrl) }, agentRef),
    defaultFleetPort: pairPort(env['CAO_PORT']),
  };
}

async function pointers(server: SessionTmux, session: string): Promise<SessionPointers | undefined> {
  const variables = await server.environment({ session });
  if (!variables) return undefined;
  return {
    session,
    server: server.socket,
    manifestPath: variables.get('HOUMAO_MANIFEST_PATH'),
    agentId: variables.get('HOUMAO_AGENT_ID'),
  };
}

function pairPort(text: string | undefined): number {
  const port = Number(text);
  return text && Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : DEFAULT_FLEET_PORT;
}
