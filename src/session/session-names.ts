import { SessionTmux } from './session-tmux.ts';
import { DEFAULT_SOCKET } from './tmux-socket.ts';

/** Which tmux sessions live, with one question per tmux server. */
export class SessionNames {
  #env: NodeJS.ProcessEnv;
  #known = new Map<string, Promise<Set<string>>>();

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  async has(socket: string | null | undefined, session: string): Promise<boolean> {
    const name = socket ?? DEFAULT_SOCKET;
    let names = this.#known.get(name);
    if (!names) {
      names = new SessionTmux(name, this.#env).sessionNames().then((all) => new Set(all));
      this.#known.set(name, names);
    }
    return (await names).has(session);
  }
}
