import { readProcStat } from '../base/index.ts';
import {
  type Created,
  isDefaultSocket,
  makeSocketDirectory,
  parseSocket,
  Tmux,
  type Pane as TmuxPane,
  type TmuxProblem,
  tmuxProblemOf,
  type WindowLabel,
} from '../tmux/index.ts';
import { harmlessEnvironment, serverEnvironment } from './equip/handed-environment.ts';
import { serverOf } from './records/tmux-socket.ts';

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

const GONE: TmuxProblem[] = ['no_server', 'no_session', 'no_window', 'no_pane'];
const SCREEN = { width: 120, height: 40 };

/** A variable of a session: set, hidden from its processes, or not its business. */
export type VariableState = { state: 'set'; value: string } | { state: 'removed' } | { state: 'absent' };

/** A tmux session, and the manifest it points at. */
export interface PointingSession {
  name: string;
  manifestPath: string | undefined;
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

  /** Empty when no server runs. A format finds variables of the session, and those of the server where it has none. */
  async sessions(): Promise<PointingSession[]> {
    const said = await orGone(
      () => this.#tmux.run([['list-sessions', '-F', '#{session_name}\t#{HOUMAO_MANIFEST_PATH}']]),
      '',
    );
    return said
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [name = '', manifestPath] = line.split('\t');
        return { name, manifestPath: manifestPath || undefined };
      });
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
  async agentPane(session: string): Promise<Pane | undefined> {
    const pane = await orGone(() => this.#tmux.firstPane(session), undefined);
    return pane && asPane(pane);
  }

  /** The variables of the session itself, not those of the server; undefined when the session is gone. */
  async environment(session: string): Promise<Map<string, string> | undefined> {
    const all = await this.variables(session);
    return (
      all && new Map([...all].flatMap(([name, each]) => (each.state === 'set' ? [[name, each.value]] : [])))
    );
  }

  /** The same, with those that the session hides from its processes. */
  async variables(session: string): Promise<Map<string, VariableState> | undefined> {
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

  /** All in one turn. False when the session is gone. */
  setVariables(session: string, wanted: [name: string, state: VariableState][]): Promise<boolean> {
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

  /** Sets, or unsets where the value is null, all in one turn. False when the session is gone. */
  setEnvironment(session: string, changes: Record<string, string | null>): Promise<boolean> {
    const wanted = Object.entries(changes).map(([name, value]): [string, VariableState] => [
      name,
      value === null ? { state: 'absent' } : { state: 'set', value },
    ]);
    return this.setVariables(session, wanted);
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
      ['set-option', '-w', '-t', created.windowId, 'automatic-rename', 'off'],
      ['set-option', '-w', '-t', created.windowId, 'allow-rename', 'off'],
    ]);
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

  renameWindow(windowId: string, name: string): Promise<void> {
    return this.#tmux.renameWindow(windowId, name);
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

  /** What the pane shows now, for a message about what went wrong. */
  async screen(paneId: string): Promise<string> {
    return (await orGone(() => this.#tmux.capturePane(paneId), '')).trimEnd();
  }
}

/** The process and those above it, while it runs. */
function ancestors(pid: number): number[] {
  const stat = pid > 1 ? readProcStat(pid) : undefined;
  return stat && stat.state !== 'Z' ? [pid, ...ancestors(stat.parent)] : [];
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
