import { type Created, parseSocket, Tmux, type TmuxProblem, tmuxProblemOf } from '../tmux/index.ts';
import { harmlessEnvironment } from './handed-environment.ts';

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

/**
 * The tmux server of a session, asked by single commands. That a server, session or pane is gone is an answer
 * here, not an error. The server inherits only what may be shown to everybody.
 */
export class SessionTmux {
  readonly socket: string;
  #tmux: Tmux;

  constructor(socket: string, env: NodeJS.ProcessEnv) {
    this.socket = socket;
    this.#tmux = new Tmux({ ...parseSocket(socket), env: harmlessEnvironment(env) });
  }

  hasSession(name: string): Promise<boolean> {
    return this.#tmux.hasSession(name);
  }

  async sessionNames(): Promise<string[]> {
    return (await this.#tmux.listSessions()).map((session) => session.name);
  }

  /** The session a pane is in; undefined when there is no such pane. */
  async sessionOfPane(paneId: string): Promise<string | undefined> {
    return orGone(async () => (await this.#tmux.showPane(paneId)).sessionName, undefined);
  }

  /** Every pane of every window; empty when the session is gone. */
  async panes(session: string): Promise<Pane[]> {
    const panes = await orGone(() => this.#tmux.listPanes(session), []);
    return panes.map((pane) => ({
      windowId: pane.windowId,
      windowIndex: String(pane.windowIndex),
      paneId: pane.id,
      paneIndex: String(pane.index),
      dead: pane.dead,
      pid: pane.pid,
    }));
  }

  /** Window 0, pane 0: the agent's surface. */
  async agentPane(session: string): Promise<Pane | undefined> {
    const inWindow = (await this.panes(session)).filter((pane) => pane.windowIndex === '0');
    return inWindow.sort((a, b) => Number(a.paneIndex) - Number(b.paneIndex))[0];
  }

  /** The variables of the session itself, not those of the server; undefined when the session is gone. */
  async environment(session: string): Promise<Map<string, string> | undefined> {
    const said = await orGone(() => this.#tmux.run([['show-environment', '-t', `=${session}:`]]), undefined);
    if (said === undefined) return undefined;
    const pairs = said.split('\n').map((line) => /^(\w+)=(.*)$/.exec(line));
    return new Map(pairs.filter((pair) => pair !== null).map((pair) => [pair[1]!, pair[2]!]));
  }

  /** Sets, or unsets where the value is null, all in one turn. False when the session is gone. */
  setEnvironment(session: string, changes: Record<string, string | null>): Promise<boolean> {
    const commands = Object.entries(changes).map(([name, value]) => [
      ...['set-environment', '-t', `=${session}:`],
      ...(value === null ? ['-u', '--', name] : ['--', name, value]),
    ]);
    return orGone(async () => {
      await this.#tmux.run(commands);
      return true;
    }, false);
  }

  /** Window 0 keeps its index and its name, and the session lives without anybody looking at it. */
  async newSession({ session, name, directory, command, env = {} }: NewPane): Promise<Pane> {
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

async function orGone<T, U>(work: () => Promise<T>, gone: U): Promise<T | U> {
  try {
    return await work();
  } catch (error) {
    const problem = tmuxProblemOf(error);
    if (problem !== undefined && GONE.includes(problem)) return gone;
    throw error;
  }
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
