import { commandLine, conflict, invalid, notFound } from '../../base/index.ts';
import { type BackendKind, CAPABILITIES, isHeadless } from '../../domain/index.ts';
import { type OwnedTerminal, type OwnerKind, ownerKind } from '../../terminal/owners.ts';
import { isSameSocket, SHARED_SOCKET, socketPath } from '../../tmux/index.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';
import { ownSessions } from '../live-sessions.ts';
import { type ManifestFacts, tryManifestFacts } from '../records/manifest-facts.ts';
import { serverOf, socketOf, socketOfTmuxVariable } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { type Pane, SessionTmux, type VariableHolder } from '../session-tmux.ts';

export interface PlaceToJoin {
  tmux: SessionTmux;
  session: string;
  pane: Pane;
  paneNamed: boolean;
  /** The agent that the session's variables belong to; undefined: this one will be the first. */
  first?: ManifestFacts | undefined;
}

/** Finds the tmux session to join and the pane that becomes the agent's. Refused if that pane already is an agent's. */
export async function placeToJoin(
  context: SessionContext,
  { tmuxSession: named, pane: wanted }: { tmuxSession?: string | undefined; pane?: string | undefined },
): Promise<PlaceToJoin> {
  const { tmux, session } = await tmuxSession(context, { named, wanted });
  const pane = await paneToJoin(tmux, session, wanted);
  const first = await ownerOf(tmux, { session });
  const paneNamed = wanted !== undefined;
  const owner = await agentOfPane(tmux, session, pane.paneId);
  const isWhole = first !== undefined && (isHeadless(first.backend) || !paneNamed);
  if (owner) throw managed(`pane ${placeInWords(pane)} of tmux session "${session}"`, owner, first);
  if (isWhole) throw managed(`tmux session "${session}"`, first, first);
  return { tmux, session, pane, paneNamed, first };
}

/** The agent in this pane: one that the pane points at, or the session's own if this is its pane. */
export async function agentOfPane(
  tmux: SessionTmux,
  session: string,
  paneId: string,
): Promise<ManifestFacts | undefined> {
  const pointer = await tmux.pointerOfPane(paneId);
  const marked = pointer === undefined ? undefined : await ownManifest(tmux, pointer, session);
  if (marked) return marked;
  const first = await ownerOf(tmux, { session });
  return first && (await tmux.paneOf({ ...first, tmuxSessionName: session }))?.paneId === paneId
    ? first
    : undefined;
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
  const owner = await ownerOf(tmux, holder);
  if (owner)
    throw managed(
      window === undefined ? `tmux session "${session}"` : `window "${window}" of "${session}"`,
      owner,
    );
}

function managed(what: string, { agentName, path, joined }: ManifestFacts, first?: ManifestFacts): Error {
  const back = joined
    ? `"${commandLine`rouse leave --agent-name ${agentName}`}" gives it back`
    : `"${commandLine`rouse stop --agent-name ${agentName}`}" ends it`;
  return conflict(`${what} is already agent ${agentName}`, {
    hint: first ? `${back}; another tool of the session is joined with --pane %ID` : back,
    facts: { cause: 'already_managed', manifest_path: path },
  });
}

async function ownerOf(tmux: SessionTmux, holder: VariableHolder): Promise<ManifestFacts | undefined> {
  const manifest = (await tmux.environment(holder))?.get(VARIABLE.manifestPath);
  return manifest === undefined ? undefined : ownManifest(tmux, manifest, holder.session);
}

/** A stale pointer does not make a session managed. The manifest must be that of this session, whatever its name. */
async function ownManifest(
  tmux: SessionTmux,
  manifest: string,
  session: string,
): Promise<ManifestFacts | undefined> {
  const facts = tryManifestFacts(manifest);
  if (!facts || !isSameSocket(serverOf(facts, tmux.env), tmux.socket)) return undefined;
  const own = ownSessions(facts, await tmux.sessions(), tmux.env);
  return own.includes(session) ? facts : undefined;
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
