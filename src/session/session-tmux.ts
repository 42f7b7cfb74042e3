import { processStatus } from '../base/index.ts';
import {
  type Created,
  isDefaultSocket,
  makeSocketDirectory,
  parseSocket,
  type Snapshot,
  Tmux,
  type Pane as TmuxPane,
  type TmuxProblem,
  tmuxProblemOf,
  type WindowLabel,
} from '../tmux/index.ts';
import { harmlessEnvironment, serverEnvironment } from './equip/programs.ts';
import { OUR_VARIABLES, POINTER, serverOf } from './records/session-paths.ts';

export interface Pane {
  windowId: string;
  windowIndex: string;
  paneId: string;
  paneIndex: string;
  dead: boolean;
  pid: number;
}

export interface NewPane {
  session: string;
  name: string;
  directory: string;
  /** Run as it is, without a shell in between. */
  command: string[];
  /** Stable, harmless variables: everybody may see them. */
  env?: Record<string, string>;
}

/** Where an agent's pane is, as its manifest says. */
export interface AgentPlace {
  tmuxSessionName: string;
  ownedWindow?: string | undefined;
  agentPane?: string | undefined;
}

const GONE: TmuxProblem[] = ['no_server', 'no_session', 'no_window', 'no_pane'];
const SCREEN = { width: 120, height: 40 };
/** A variable of a session: set, hidden from its processes, or not its business. */
export type VariableState = { state: 'set'; value: string } | { state: 'removed' } | { state: 'absent' };

/**
 * Where the variables of an agent stand: in its tmux session, or, where its owner keeps several agents in one session, in the
 * options of its window. `undefined` windows are the session itself.
 */
export interface VariableHolder {
  session: string;
  window?: string | undefined;
}

export function holderOf({ tmuxSessionName, ownedWindow }: AgentPlace): VariableHolder {
  return { session: tmuxSessionName, window: ownedWindow };
}

/** A tmux session, and the manifests it points at: one of its own, or one for each window that has an agent. */
export interface PointingSession {
  name: string;
  manifestPath: string | undefined;
  windows: PointingWindow[];
}

export interface PointingWindow {
  manifestPath: string;
  /** The process in its first pane; undefined when that has ended. */
  panePid: number | undefined;
}

/** The same, with the process in its first pane: the agent's, when it is one. */
export interface ServerSession extends PointingSession {
  panePid: number | undefined;
}

/** The tmux server of a session, as its manifest or its registry record names it. */
export function tmuxOf(
  { env }: { env: NodeJS.ProcessEnv },
  facts: { tmuxSocket?: string | null | undefined },
): SessionTmux {
  return new SessionTmux(serverOf(facts, env), env);
}

/**
 * The tmux server of a session, asked by single commands. That a server, session or pane is gone is an answer
 * here, not an error. A server of our own inherits only what may be shown to everybody; the caller's default one is
 * the caller's, and starts with what a plain `tmux` would give it.
 */
export class SessionTmux {
  readonly socket: string;
  /** The caller's, by which other servers are found. */
  readonly env: NodeJS.ProcessEnv;
  #tmux: Tmux;

  constructor(socket: string, env: NodeJS.ProcessEnv) {
    this.socket = socket;
    this.env = env;
    const own = isDefaultSocket(socket, env) ? serverEnvironment(env) : harmlessEnvironment(env);
    this.#tmux = new Tmux({ ...parseSocket(socket), env: own });
  }

  hasSession(name: string): Promise<boolean> {
    return this.#tmux.hasSession(name);
  }

  /**
   * In one question for the whole server; empty when none runs. A format finds variables of the session, and those of the
   * server where it has none.
   */
  async sessions(): Promise<ServerSession[]> {
    const format = ['session_name', POINTER, `@${POINTER}`, 'pane_pid', 'pane_dead']
      .map((name) => `#{${name}}`)
      .join('\t');
    const said = await orGone(() => this.#tmux.run([['list-panes', '-a', '-F', format]]), '');
    const found = new Map<string, ServerSession>();
    for (const line of said.split('\n')) {
      const [name = '', manifestPath, ofWindow, pid, dead] = line.split('\t');
      if (name === '') continue;
      const panePid = dead === '0' ? Number(pid) : undefined;
      const session = found.get(name) ?? {
        ...{ name, manifestPath: manifestPath || undefined },
        ...{ panePid, windows: [] },
      };
      found.set(name, session);
      if (ofWindow && !session.windows.some((window) => window.manifestPath === ofWindow))
        session.windows.push({ manifestPath: ofWindow, panePid });
    }
    return [...found.values()];
  }

  /** Which manifest a pane's window points at, where windows do. */
  async pointerOfPane(paneId: string): Promise<string | undefined> {
    const ask = ['display-message', '-p', '-t', paneId, `#{@${POINTER}}`];
    return (await orGone(() => this.#tmux.run([ask]), '')).trimEnd() || undefined;
  }

  /** The session a pane is in; undefined when there is no such pane. */
  async sessionOfPane(paneId: string): Promise<string | undefined> {
    return orGone(async () => (await this.#tmux.showPane(paneId)).sessionName, undefined);
  }

  /** The session in one of whose panes this process runs; undefined when it is in none, or gone. */
  async sessionOfProcess(pid: number): Promise<string | undefined> {
    const line = ancestors(pid);
    const said = await orGone(
      () => this.#tmux.run([['list-panes', '-a', '-F', '#{pane_pid}\t#{session_name}']]),
      '',
    );
    const panes = said.split('\n').map((each) => each.split('\t'));
    return panes.find(([pane]) => line.includes(Number(pane)))?.[1];
  }

  /** Every pane of every window; empty when the session is gone. */
  async panes(session: string): Promise<Pane[]> {
    const panes = await orGone(() => this.#tmux.listPanes(session), []);
    return panes.map(asPane);
  }

  /** Of the whole server. */
  async paneIds(): Promise<Set<string>> {
    const said = await orGone(() => this.#tmux.run([['list-panes', '-a', '-F', '#{pane_id}']]), '');
    return new Set(said.split('\n'));
  }

  /** Window 0, pane 0: the agent's surface. */
  async agentPane(session: string, named?: string): Promise<Pane | undefined> {
    const pane = await orGone(() => this.#tmux.agentPane(session, named), undefined);
    return pane && asPane(pane);
  }

  /** The agent's pane: the one it was joined in, in window 0, or in the window that its owner gave it. */
  paneOf({ tmuxSessionName, agentPane, ownedWindow }: AgentPlace): Promise<Pane | undefined> {
    return ownedWindow === undefined
      ? this.agentPane(tmuxSessionName, agentPane)
      : this.windowPane(tmuxSessionName, ownedWindow);
  }

  /** The first pane of the window of this name. */
  async windowPane(session: string, window: string): Promise<Pane | undefined> {
    const pane = await orGone(() => this.#tmux.paneOfWindow(session, window), undefined);
    return pane && asPane(pane);
  }

  /** The variables of the holder itself, not those of the server; undefined when it is gone. */
  async environment(holder: VariableHolder): Promise<Map<string, string> | undefined> {
    const all = await this.variables(holder);
    return (
      all && new Map([...all].flatMap(([name, each]) => (each.state === 'set' ? [[name, each.value]] : [])))
    );
  }

  /** The same, with those that a session hides from its processes. */
  async variables({ session, window }: VariableHolder): Promise<Map<string, VariableState> | undefined> {
    if (window !== undefined) return this.#windowOptions(session, window);
    const said = await orGone(() => this.#tmux.run([['show-environment', '-t', `=${session}:`]]), undefined);
    if (said === undefined) return undefined;
    const found = said.split('\n').map((line) => /^(?:-(\w+)|(\w+)=(.*))$/.exec(line));
    return new Map(
      found
        .filter((match) => match !== null)
        .map(([, hidden, name, value]): [string, VariableState] =>
          hidden === undefined ? [name!, { state: 'set', value: value! }] : [hidden, { state: 'removed' }],
        ),
    );
  }

  /** Options that are ours alone; those of tmux itself have no `@`. */
  async #windowOptions(session: string, window: string): Promise<Map<string, VariableState> | undefined> {
    const pane = await this.windowPane(session, window);
    if (!pane) return undefined;
    const format = OUR_VARIABLES.map((name) => `#{@${name}}`).join('\t');
    const said = await orGone(
      () => this.#tmux.run([['display-message', '-p', '-t', pane.windowId, format]]),
      undefined,
    );
    const values = said?.replace(/\n$/, '').split('\t');
    return (
      values &&
      new Map(
        OUR_VARIABLES.flatMap((name, at): [string, VariableState][] =>
          values[at] ? [[name, { state: 'set', value: values[at] }]] : [],
        ),
      )
    );
  }

  async #setWindowOptions(
    { session, window }: { session: string; window: string },
    wanted: [name: string, state: VariableState][],
  ): Promise<boolean> {
    const pane = await this.windowPane(session, window);
    if (!pane) return false;
    const commands = wanted.map(([name, each]) =>
      each.state === 'set'
        ? ['set-option', '-w', '-t', pane.windowId, '--', `@${name}`, each.value]
        : ['set-option', '-wu', '-t', pane.windowId, '--', `@${name}`],
    );
    return orGone(async () => {
      await this.#tmux.run(commands);
      return true;
    }, false);
  }

  /** All in one turn. False when the holder is gone. */
  setVariables(
    { session, window }: VariableHolder,
    wanted: [name: string, state: VariableState][],
  ): Promise<boolean> {
    if (window !== undefined) return this.#setWindowOptions({ session, window }, wanted);
    const commands = wanted.map(([name, each]) => [
      ...['set-environment', '-t', `=${session}:`],
      ...(each.state === 'set'
        ? ['--', name, each.value]
        : [each.state === 'absent' ? '-u' : '-r', '--', name]),
    ]);
    return orGone(async () => {
      await this.#tmux.run(commands);
      return true;
    }, false);
  }

  /** Sets, or unsets where the value is null, all in one turn. False when the holder is gone. */
  setEnvironment(holder: VariableHolder, changes: Record<string, string | null>): Promise<boolean> {
    const wanted = Object.entries(changes).map(([name, value]): [string, VariableState] => [
      name,
      value === null ? { state: 'absent' } : { state: 'set', value },
    ]);
    return this.setVariables(holder, wanted);
  }

  /** Window 0 keeps its index and its name, and the session lives without anybody looking at it. */
  async newSession({ session, name, directory, command, env = {} }: NewPane): Promise<Pane> {
    makeSocketDirectory(this.socket);
    const created = await this.#tmux.newSession({
      ...SCREEN,
      name: session,
      windowName: name,
      cwd: directory,
      command,
      env,
    });
    await this.#tmux.run([
      ['set-option', '-t', `=${session}:`, 'destroy-unattached', 'off'],
      ...keepLabel(created),
    ]);
    return paneOf(created);
  }

  /** The agent's window again, at index 0, in a session that has lost it and lives on. */
  async newFirstWindow({ session, name, directory, command }: NewPane): Promise<Pane> {
    const created = await this.#tmux.newFirstWindow({ session, name, cwd: directory, command });
    await this.#tmux.run(keepLabel(created));
    return paneOf(created);
  }

  /** A window beside the agent's, not selected, never at index 0. */
  async newWindow({ session, name, directory, command }: NewPane): Promise<Pane> {
    return paneOf(await this.#tmux.newWindow({ session, name, cwd: directory, command }));
  }

  /** Ends what runs in the pane and starts this in its place. */
  respawn(paneId: string, directory: string, command: string[]): Promise<void> {
    return this.#tmux.respawnPane(paneId, { cwd: directory, command, kill: true });
  }

  windowLabel(windowId: string): Promise<WindowLabel> {
    return this.#tmux.windowLabel(windowId);
  }

  /** Calls a window as it was called, while it bears the name it was given here. One that is gone is passed over. */
  restoreWindow(windowId: string, given: string, before: WindowLabel): Promise<void> {
    return orGone(() => this.#tmux.restoreWindowLabel(windowId, given, before), undefined);
  }

  /** Refused by tmux itself for window 0; gone already is as good. */
  killWindow(session: string, windowId: string): Promise<void> {
    return orGone(() => this.#tmux.killWindow(session, windowId), undefined);
  }

  killSession(name: string): Promise<void> {
    return orGone(() => this.#tmux.killSession(name), undefined);
  }

  /** What the pane shows now, with its colours; undefined when it is gone. Nobody attaches for it. */
  snapshot(paneId: string): Promise<Snapshot | undefined> {
    return orGone(() => this.#tmux.snapshotPane(paneId, { escapes: true }), undefined);
  }

  /** What the pane shows now, for a message about what went wrong. */
  async screen(paneId: string): Promise<string> {
    return (await orGone(() => this.#tmux.capturePane(paneId), '')).trimEnd();
  }
}

/** The process and those above it, while it runs. */
function ancestors(pid: number): number[] {
  const status = pid > 1 ? processStatus(pid) : undefined;
  return status && status.state !== 'ended' ? [pid, ...ancestors(status.parent)] : [];
}

async function orGone<T, U>(work: () => Promise<T>, gone: U): Promise<T | U> {
  try {
    return await work();
  } catch (error) {
    const problem = tmuxProblemOf(error);
    if (problem !== undefined && GONE.includes(problem)) return gone;
    throw error;
  }
}

function asPane(pane: TmuxPane): Pane {
  return {
    windowId: pane.windowId,
    windowIndex: String(pane.windowIndex),
    paneId: pane.id,
    paneIndex: String(pane.index),
    dead: pane.dead,
    pid: pane.pid,
  };
}

function keepLabel({ windowId }: Created): string[][] {
  return ['automatic-rename', 'allow-rename'].map((name) => [
    'set-option',
    '-w',
    '-t',
    windowId,
    name,
    'off',
  ]);
}

function paneOf(created: Created): Pane {
  return {
    windowId: created.windowId,
    windowIndex: String(created.windowIndex),
    paneId: created.paneId,
    paneIndex: '0',
    dead: false,
    pid: created.panePid,
  };
}
