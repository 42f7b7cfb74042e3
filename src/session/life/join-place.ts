import { conflict, invalid, notFound } from '../../base/index.ts';
import { isSameSocket } from '../../tmux/index.ts';
import { tryManifestFacts } from '../records/manifest-facts.ts';
import { serverOf, socketOf, socketOfTmuxVariable } from '../records/tmux-socket.ts';
import type { SessionContext } from '../session-context.ts';
import { type Pane, SessionTmux } from '../session-tmux.ts';
import { ownSessions } from '../target/live-sessions.ts';

/** The tmux session to be joined, and in it the pane that becomes the agent's. Refused where it is an agent's already. */
export async function placeToJoin(
  context: SessionContext,
  named: string | undefined,
): Promise<{ tmux: SessionTmux; session: string; pane: Pane }> {
  const { tmux, session } = await tmuxSession(context, named);
  return { tmux, session, pane: await requireUnmanaged(tmux, session) };
}

async function tmuxSession(
  { settings, env }: SessionContext,
  named: string | undefined,
): Promise<{ tmux: SessionTmux; session: string }> {
  if (named !== undefined) {
    const tmux = new SessionTmux(socketOf(settings.tmuxSocket, env), env);
    if (await tmux.hasSession(named)) return { tmux, session: named };
    throw notFound(`there is no tmux session "${named}" here`);
  }
  if (socketOfTmuxVariable(env['TMUX']) === undefined) {
    throw invalid('join works inside the tmux session it adopts', {
      hint: 'run it in a window of that session, or name it with --target-tmux-session',
    });
  }
  const tmux = new SessionTmux(socketOf(undefined, env), env);
  const session = await tmux.sessionOfPane(env['TMUX_PANE'] ?? '');
  if (session === undefined) throw notFound('the tmux session this command runs in cannot be found');
  return { tmux, session };
}

async function requireUnmanaged(tmux: SessionTmux, session: string): Promise<Pane> {
  const manifest = (await tmux.environment(session))?.get('HOUMAO_MANIFEST_PATH');
  if (manifest !== undefined) {
    const owner = await ownerOf(tmux, manifest, session);
    if (owner) {
      throw conflict(`tmux session "${session}" is already agent ${owner}`, {
        hint: 'stop that agent first',
        facts: { cause: 'already_managed', manifest_path: manifest },
      });
    }
  }
  const pane = await tmux.agentPane(session);
  if (pane) return pane;
  throw invalid(`tmux session "${session}" has no window 0, where an agent must be`, {
    hint: `move the tool there: tmux move-window -s '=${session}:' -t '=${session}:0'`,
  });
}

/** A stale pointer does not make a session managed: the manifest must be that of this session, however it is called. */
async function ownerOf(tmux: SessionTmux, manifest: string, session: string): Promise<string | undefined> {
  const facts = tryManifestFacts(manifest);
  if (!facts || !isSameSocket(serverOf(facts, tmux.env), tmux.socket)) return undefined;
  const own = ownSessions(facts, await tmux.sessions(), tmux.env);
  return own.includes(session) ? facts.agentName : undefined;
}
