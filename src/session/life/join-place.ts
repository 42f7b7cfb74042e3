import { commandLine, conflict, invalid, notFound } from '../../base/index.ts';
import { type BackendKind, CAPABILITIES } from '../../domain/index.ts';
import { type OwnedTerminal, type OwnerKind, ownerKind } from '../../terminal/owners.ts';
import { isSameSocket, SHARED_SOCKET, socketPath } from '../../tmux/index.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';
import { ownSessions } from '../live-sessions.ts';
import { tryManifestFacts } from '../records/manifest-facts.ts';
import { serverOf, socketOf, socketOfTmuxVariable } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { type Pane, SessionTmux, type VariableHolder } from '../session-tmux.ts';

/** Finds the tmux session to join and the pane that becomes the agent's. Refused if it already is an agent's. */
export async function placeToJoin(
  context: SessionContext,
  { tmuxSession: named, pane: wanted }: { tmuxSession?: string | undefined; pane?: string | undefined },
): Promise<{ tmux: SessionTmux; session: string; pane: Pane; paneNamed: boolean }> {
  const { tmux, session } = await tmuxSession(context, { named, wanted });
  await requireUnmanaged(tmux, { session });
  const pane = await paneToJoin(tmux, session, wanted);
  return { tmux, session, pane, paneNamed: wanted !== undefined };
}

const PANE_WORDS = /^(?:(%\d+)|(\d+)(?:\.(\d+))?)$/;

/** `%7`, `1` (the first pane of window 1) or `1.2`; undefined: the first pane of window 0. */
async function paneToJoin(tmux: SessionTmux, session: string, wanted: string | undefined): Promise<Pane> {
  const panes = await tmux.panes(session);
  if (wanted === undefined) {
    const first = await tmux.agentPane(session);
    if (first) return first;
    throw invalid(`tmux session "${session}" has no window 0, where an agent is by default`, {
      hint: `choose one with --pane WINDOW or WINDOW.PANE; there are ${panes.map(placeInWords).join(', ')}`,
    });
  }
  const [, id, window, index] = PANE_WORDS.exec(wanted) ?? [];
  if (id === undefined && window === undefined)
    throw invalid(`--pane "${wanted}" must be WINDOW, WINDOW.PANE or a pane id such as %7`);
  const found = panes.find((pane) =>
    id !== undefined
      ? pane.paneId === id
      : pane.windowIndex === window && (index === undefined || pane.paneIndex === index),
  );
  if (found) return found;
  throw notFound(`tmux session "${session}" has no pane ${wanted}`, {
    hint: `there are ${panes.map(placeInWords).join(', ')}`,
  });
}

export function placeInWords({ windowIndex, paneIndex, paneId }: Pane): string {
  return `${windowIndex}.${paneIndex} (${paneId})`;
}

/** The named session, that of a pane named by its id, or the current one. */
async function tmuxSession(
  { settings, env }: SessionContext,
  { named, wanted }: { named: string | undefined; wanted: string | undefined },
): Promise<{ tmux: SessionTmux; session: string }> {
  if (named !== undefined) {
    const tmux = new SessionTmux(socketOf(settings.tmuxSocket, env), env);
    if (await tmux.hasSession(named)) return { tmux, session: named };
    throw notFound(`there is no tmux session "${named}" here`, {
      hint: '"tmux ls" shows those there are; with a private tmux socket set ROUSE_TMUX_SOCKET',
    });
  }
  if (wanted !== undefined && /^%\d+$/.test(wanted)) {
    const tmux = new SessionTmux(socketOf(settings.tmuxSocket, env), env);
    const session = await tmux.sessionOfPane(wanted);
    if (session !== undefined) return { tmux, session };
    throw notFound(`there is no tmux pane ${wanted} here`, {
      hint: '"tmux list-panes -a" shows those there are; with a private tmux socket set ROUSE_TMUX_SOCKET',
    });
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

/** Requires that the session, or the window if only that is joined, is not an agent's yet. */
async function requireUnmanaged(tmux: SessionTmux, holder: VariableHolder): Promise<void> {
  const { session, window } = holder;
  const manifest = (await tmux.environment(holder))?.get(VARIABLE.manifestPath);
  const owner = manifest === undefined ? undefined : await ownerOf(tmux, manifest, session);
  if (!owner) return;
  const what = window === undefined ? `tmux session "${session}"` : `window "${window}" of "${session}"`;
  throw conflict(`${what} is already agent ${owner}`, {
    hint: `give it back first: "${commandLine`rouse leave ${owner}`}" if it was joined, "${commandLine`rouse stop ${owner}`}" if it was launched`,
    facts: { cause: 'already_managed', manifest_path: manifest },
  });
}

/** A stale pointer does not make a session managed. The manifest must be that of this session, whatever its name. */
async function ownerOf(tmux: SessionTmux, manifest: string, session: string): Promise<string | undefined> {
  const facts = tryManifestFacts(manifest);
  if (!facts || !isSameSocket(serverOf(facts, tmux.env), tmux.socket)) return undefined;
  const own = ownSessions(facts, await tmux.sessions(), tmux.env);
  return own.includes(session) ? facts.agentName : undefined;
}

/** A terminal that a server owns, as a person names it. */
export interface OwnedJoin {
  backend: BackendKind;
  terminalId: string;
  url?: string | undefined;
}

export interface OwnedPlace {
  tmux: SessionTmux;
  session: string;
  pane: Pane;
  owned: OwnedTerminal;
}

/** Finds an owned terminal. The server must know it, and tmux must have its window. Changes neither. */
export async function ownedPlace(context: SessionContext, wanted: OwnedJoin): Promise<OwnedPlace> {
  const kind = ownerKind(wanted.backend);
  const owned = await kind.find(wanted, context.env);
  const { session, windowName: window } = owned;
  const { tmux, pane } = await findWindow(context, kind, owned);
  await requireUnmanaged(tmux, { session, window });
  return { tmux, session, pane, owned };
}

/** The owner uses the default tmux server of its own environment, which may differ from that of this command. */
async function findWindow(
  context: SessionContext,
  kind: OwnerKind,
  wanted: OwnedTerminal,
): Promise<{ tmux: SessionTmux; pane: Pane }> {
  const { env, settings } = context;
  const owner = CAPABILITIES[kind.backend].owner!;
  const cause = owner.toLowerCase();
  const sockets = [socketOf(settings.tmuxSocket, env), socketPath(undefined, env), SHARED_SOCKET];
  for (const socket of new Set(sockets)) {
    const tmux = new SessionTmux(socket, env);
    const pane = await tmux.windowPane(wanted.session, wanted.windowName);
    if (!pane) continue;
    const found = kind.terminalOf(pane.pid);
    if (found !== undefined && found !== wanted.terminalId)
      throw conflict(`the window "${wanted.windowName}" in tmux is that of ${owner} terminal ${found}`, {
        facts: { cause: `${cause}_other_terminal`, tmux_socket: socket },
      });
    return { tmux, pane };
  }
  throw notFound(
    `tmux session "${wanted.session}" with window "${wanted.windowName}" is on none of the servers known here`,
    {
      hint: `${owner} keeps its terminals in the default tmux server of its own environment; name that with ROUSE_TMUX_SOCKET`,
      facts: { cause: `${cause}_window_gone`, tmux_session: wanted.session },
    },
  );
}
