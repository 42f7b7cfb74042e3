import type { Tmux } from '../tmux/index.ts';

/**
 * Where an agent's session is: by name until it is reached, then by id, which renaming does not change. A restarted tmux
 * server assigns the same ids to other sessions, so the server is remembered too.
 */
export class SessionPlace {
  readonly #tmux: Tmux;
  readonly #name: string;
  #reached: { id: string; server: string } | undefined;

  constructor(tmux: Tmux, name: string) {
    this.#tmux = tmux;
    this.#name = name;
  }

  /** The agent's pane was moved to another session of the same server. */
  moved(id: string): void {
    if (this.#reached) this.#reached = { ...this.#reached, id };
  }

  /** The server is the one on which the session was reached; ids of another one mean nothing. */
  async isSameServer(): Promise<boolean> {
    const { id, server } = this.#reached ?? {};
    return (
      id !== undefined && (await this.#tmux.display('', '#{pid} #{start_time}').catch(() => '')) === server
    );
  }

  /** The target for tmux commands. */
  get target(): string {
    return this.#reached?.id ?? this.#name;
  }

  async reached(id: string): Promise<void> {
    this.#reached ??= { id, server: await this.#serverOf(id) };
  }

  async isThere(): Promise<boolean> {
    if (!(await this.#tmux.hasSession(this.target))) return false;
    return this.#reached === undefined || (await this.#serverOf(this.#reached.id)) === this.#reached.server;
  }

  #serverOf(id: string): Promise<string> {
    return this.#tmux.display(`${id}:`, '#{pid} #{start_time}');
  }
}
