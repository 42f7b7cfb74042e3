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
  /** Run directly, without a shell. */
  command: string[];
  /** Stable, harmless variables: anyone can see them. */
  env?: Record<string, string>;
}

/** Where an agent's pane is, from its manifest. */
export interface AgentPlace {
  tmuxSessionName: string;
  ownedWindow?: string | undefined;
  agentPane?: string | undefined;
  sharesSession?: boolean | undefined;
  /** Its manifest, at which its pane may point. */
  path?: string | undefined;
}

const GONE: TmuxProblem[] = ['no_server', 'no_session', 'no_window', 'no_pane'];
const SCREEN = { width: 120, height: 40 };
/** A variable of a session: set, hidden from its processes, or not set there. */
export type VariableState = { state: 'set'; value: string } | { state: 'removed' } | { state: 'absent' };

/**
 * Where the variables of an agent are: in its tmux session or, if there are several agents in it, in the options of its
 * window (if the owner of the terminal keeps a window for each) or of its pane (if it was joined after another one).
 */
export interface VariableHolder {
  session: string;
  window?: string | undefined;
  /** Its id. */
  pane?: string | undefined;
}

export function holderOf(place: AgentPlace): VariableHolder {
  const { tmuxSessionName: session, ownedWindow: window, agentPane, sharesSession } = place;
  return { session, window, pane: sharesSession ? agentPane : undefined };
}

/** A tmux session and the manifests it points at: one of its own, and those of its windows and panes. */
export interface PointingSession {
  name: string;
  manifestPath: string | undefined;
  places: PointingPlace[];
}

/** A window or a pane with an agent. */
export interface PointingPlace {
  manifestPath: string;
  /** The process in it, or in the first pane of the window; undefined if it has ended. */
  panePid: number | undefined;
  paneId: string;
}

/** The same, with the process in its first pane: the agent's, if it is an agent's session. */
export interface ServerSession extends PointingSession {
  panePid: number | undefined;
}

type OptionsAt = { gone: true } | { target: string; scope: 'w' | 'p' };

const markOf = (manifest: string) => ({ option: `@${POINTER}`, value: manifest });

/** The tmux server of a session, from its manifest or its registry record. */
export function tmuxOf(
  { env }: { env: NodeJS.ProcessEnv },
  facts: { tmuxSocket?: string | null | undefined },
): SessionTmux {
  return new SessionTmux(serverOf(facts, env), env);
}

/**
 * The tmux server of a session, used by single commands. A missing server, session or pane is a result here, not an
 * error. A server of our own inherits only variables that anyone may see. The caller's default server is the caller's and
 * starts with the environment that a plain `tmux` would pass.
 */
export class SessionTmux {
  readonly socket: string;
  /** The caller's environment, for finding other servers. */
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
   * Lists the sessions of the server with one request; empty if no server runs. A format finds variables of the session,
   * or those of the server if the session has none.
   */
  async sessions(): Promise<ServerSession[]> {
    const format = ['session_name', POINTER, `@${POINTER}`, 'pane_pid', 'pane_dead', 'pane_id']
      .map((name) => `#{${name}}`)
      .join('\t');
    const output = await orGone(() => this.#tmux.run([['list-panes', '-a', '-F', format]]), '');
    const found = new Map<string, ServerSession>();
    for (const line of output.split('\n')) {
      const [name = '', manifestPath, pointer, pid, dead, paneId = ''] = line.split('\t');
      if (name === '') continue;
      const panePid = dead === '0' ? Number(pid) : undefined;
      const session = found.get(name) ?? {
        ...{ name, manifestPath: manifestPath || undefined },
        ...{ panePid, places: [] },
      };
      found.set(name, session);
      if (pointer && !session.places.some((place) => place.manifestPath === pointer))
        session.places.push({ manifestPath: pointer, panePid, paneId });
    }
    return [...found.values()];
  }

  /** The manifest that a pane, or its window, points at, if any. */
  async pointerOfPane(paneId: string): Promise<string | undefined> {
    const ask = ['display-message', '-p', '-t', paneId, `#{@${POINTER}}`];
    return (await orGone(() => this.#tmux.run([ask]), '')).trimEnd() || undefined;
  }

  /** The session of a pane; undefined if there is no such pane. */
  async sessionOfPane(paneId: string): Promise<string | undefined> {
    return orGone(async () => (await this.#tmux.showPane(paneId)).sessionName, undefined);
  }

  /** The session in one of whose panes this process runs; undefined if there is none, or the process is gone. */
  async sessionOfProcess(pid: number): Promise<string | undefined> {
    const line = ancestors(pid);
    const output = await orGone(
      () => this.#tmux.run([['list-panes', '-a', '-F', '#{pane_pid}\t#{session_name}']]),
      '',
    );
    const panes = output.split('\n').map((each) => each.split('\t'));
    return panes.find(([pane]) => line.includes(Number(pane)))?.[1];
  }

  /** Every pane of every window; empty if the session is gone. */
  async panes(session: string): Promise<Pane[]> {
    const panes = await orGone(() => this.#tmux.listPanes(session), []);
    return panes.map(asPane);
  }

  /** The ids of all panes of the server. */
  async paneIds(): Promise<Set<string>> {
    const output = await orGone(() => this.#tmux.run([['list-panes', '-a', '-F', '#{pane_id}']]), '');
    return new Set(output.split('\n'));
  }

  /** Window 0, pane 0: the surface of a launched agent, whose manifest the pane may point at. */
  async agentPane(session: string, named?: string, manifest?: string): Promise<Pane | undefined> {
    const mark = manifest === undefined ? undefined : markOf(manifest);
    const pane = await orGone(() => this.#tmux.agentPane(session, named, mark), undefined);
    return pane && asPane(pane);
  }

  /** The agent's pane: the one that points at its manifest, where it was joined, in window 0, or in the window of its owner. */
  paneOf({ tmuxSessionName, agentPane, ownedWindow, path }: AgentPlace): Promise<Pane | undefined> {
    return ownedWindow === undefined
      ? this.agentPane(tmuxSessionName, agentPane, path)
      : this.windowPane(tmuxSessionName, ownedWindow);
  }

  /** Makes a pane point at a manifest, so that it is known wherever it is moved. */
  async markPane(pane: string, manifest: string): Promise<void> {
    await orGone(
      () => this.#tmux.run([['set-option', '-p', '-t', pane, '--', `@${POINTER}`, manifest]]),
      undefined,
    );
  }

  async unmarkPane(pane: string): Promise<void> {
    await orGone(() => this.#tmux.run([['set-option', '-pu', '-t', pane, '--', `@${POINTER}`]]), undefined);
  }

  /** Ends a pane; its window and session with it if it is the last. */
  async killPane(pane: string): Promise<void> {
    await orGone(() => this.#tmux.run([['kill-pane', '-t', pane]]), undefined);
  }

  /** The first pane of the window of this name. */
  async windowPane(session: string, window: string): Promise<Pane | undefined> {
    const pane = await orGone(() => this.#tmux.paneOfWindow(session, window), undefined);
    return pane && asPane(pane);
  }

  /** The variables of the holder itself, not those of the server; undefined if the holder is gone. */
  async environment(holder: VariableHolder): Promise<Map<string, string> | undefined> {
    const all = await this.variables(holder);
    return (
      all && new Map([...all].flatMap(([name, each]) => (each.state === 'set' ? [[name, each.value]] : [])))
    );
  }

  /** The same, including those that a session hides from its processes. */
  async variables(holder: VariableHolder): Promise<Map<string, VariableState> | undefined> {
    const { session } = holder;
    const options = await this.#optionsAt(holder);
    if (options) return 'gone' in options ? undefined : this.#options(options);
    const output = await orGone(
      () => this.#tmux.run([['show-environment', '-t', `=${session}:`]]),
      undefined,
    );
    if (output === undefined) return undefined;
    const found = output.split('\n').map((line) => /^(?:-(\w+)|(\w+)=(.*))$/.exec(line));
    return new Map(
      found
        .filter((match) => match !== null)
        .map(([, hidden, name, value]): [string, VariableState] =>
          hidden === undefined ? [name!, { state: 'set', value: value! }] : [hidden, { state: 'removed' }],
        ),
    );
  }

  /** Where the options of the holder are; undefined if it is a session, which has variables. */
  async #optionsAt({ session, window, pane }: VariableHolder): Promise<OptionsAt | undefined> {
    if (pane !== undefined) {
      const [, name] = await this.#located(pane);
      return name === undefined ? { gone: true } : { target: pane, scope: 'p' };
    }
    if (window === undefined) return undefined;
    const first = await this.windowPane(session, window);
    return first ? { target: first.windowId, scope: 'w' } : { gone: true };
  }

  /** The pane and its session, if it exists. For a pane that is gone, tmux may return an empty line. */
  async #located(pane: string): Promise<[pane: string, session: string] | []> {
    const ask = ['display-message', '-p', '-t', pane, '#{pane_id}\t#{session_name}'];
    const [id, name] = (await orGone(() => this.#tmux.run([ask]), '')).trimEnd().split('\t');
    return id === pane && name !== undefined ? [id, name] : [];
  }

  /** Options that only Rouse uses. Those of tmux itself have no `@`. */
  async #options({ target }: { target: string }): Promise<Map<string, VariableState> | undefined> {
    const format = OUR_VARIABLES.map((name) => `#{@${name}}`).join('\t');
    const output = await orGone(
      () => this.#tmux.run([['display-message', '-p', '-t', target, format]]),
      undefined,
    );
    const values = output?.replace(/\n$/, '').split('\t');
    return (
      values &&
      new Map(
        OUR_VARIABLES.flatMap((name, at): [string, VariableState][] =>
          values[at] ? [[name, { state: 'set', value: values[at] }]] : [],
        ),
      )
    );
  }

  #setOptions(
    { target, scope }: { target: string; scope: 'w' | 'p' },
    wanted: [name: string, state: VariableState][],
  ): Promise<boolean> {
    const commands = wanted.map(([name, each]) =>
      each.state === 'set'
        ? ['set-option', `-${scope}`, '-t', target, '--', `@${name}`, each.value]
        : ['set-option', `-${scope}u`, '-t', target, '--', `@${name}`],
    );
    return orGone(async () => {
      await this.#tmux.run(commands);
      return true;
    }, false);
  }

  /** Sets all of them in one turn. False if the holder is gone. */
  async setVariables(
    holder: VariableHolder,
    wanted: [name: string, state: VariableState][],
  ): Promise<boolean> {
    const { session } = holder;
    const options = await this.#optionsAt(holder);
    if (options) return 'gone' in options ? false : this.#setOptions(options, wanted);
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

  /** Sets them, or unsets those with the value null, all in one turn. False if the holder is gone. */
  setEnvironment(holder: VariableHolder, changes: Record<string, string | null>): Promise<boolean> {
    const wanted = Object.entries(changes).map(([name, value]): [string, VariableState] => [
      name,
      value === null ? { state: 'absent' } : { state: 'set', value },
    ]);
    return this.setVariables(holder, wanted);
  }

  /** Window 0 keeps its index and its name, and the session stays without an attached client. */
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

  /** Makes the agent's window again, at index 0, in a live session that has lost it. */
  async newFirstWindow({ session, name, directory, command }: NewPane): Promise<Pane> {
    const created = await this.#tmux.newFirstWindow({ session, name, cwd: directory, command });
    await this.#tmux.run(keepLabel(created));
    return paneOf(created);
  }

  /** A window beside the agent's, not selected, never at index 0. */
  async newWindow({ session, name, directory, command }: NewPane): Promise<Pane> {
    return paneOf(await this.#tmux.newWindow({ session, name, cwd: directory, command }));
  }

  /** Ends what runs in the pane and starts this command instead. */
  respawn(paneId: string, directory: string, command: string[]): Promise<void> {
    return this.#tmux.respawnPane(paneId, { cwd: directory, command, kill: true });
  }

  windowLabel(windowId: string): Promise<WindowLabel> {
    return this.#tmux.windowLabel(windowId);
  }

  /** Restores the name of a window if it still has the name set here. Skips a window that is gone. */
  restoreWindow(windowId: string, ourName: string, before: WindowLabel): Promise<void> {
    return orGone(() => this.#tmux.restoreWindowLabel(windowId, ourName, before), undefined);
  }

  /** tmux itself refuses this for window 0. A window that is already gone counts as closed. */
  killWindow(session: string, windowId: string): Promise<void> {
    return orGone(() => this.#tmux.killWindow(session, windowId), undefined);
  }

  killSession(name: string): Promise<void> {
    return orGone(() => this.#tmux.killSession(name), undefined);
  }

  /** The pane's screen with its colours; undefined if the pane is gone. Attaches no client. */
  snapshot(paneId: string): Promise<Snapshot | undefined> {
    return orGone(() => this.#tmux.snapshotPane(paneId, { escapes: true }), undefined);
  }

  /** The pane's screen, for an error message. */
  async screen(paneId: string): Promise<string> {
    return (await orGone(() => this.#tmux.capturePane(paneId), '')).trimEnd();
  }
}

/** The process and its ancestors, while it runs. */
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
