import { type Clock, Emitter, type Log, messageOf, unavailable } from '../../base/index.ts';
import { SessionLine, type Tmux } from '../../tmux/index.ts';
import { SessionPlace } from '../session-place.ts';

const RECONNECT_MS = [50, 200, 1000, 5000];

/**
 * Whether the agent's tmux session exists. The control client reports its end, so nothing is polled.
 */
export class SessionPresence {
  /** The session has ended. Emitted once. */
  readonly lost = new Emitter<string>();
  readonly #tmux: Tmux;
  readonly #session: string;
  readonly #place: SessionPlace;
  readonly #clock: Clock;
  readonly #log: Log;
  #client: SessionLine | undefined;
  #state: 'new' | 'live' | 'lost' | 'closed' = 'new';
  #retries = 0;
  #cancelRetry: (() => void) | undefined;

  constructor(options: { tmux: Tmux; session: string; clock: Clock; log: Log }) {
    this.#tmux = options.tmux;
    this.#session = options.session;
    this.#place = new SessionPlace(options.tmux, options.session);
    this.#clock = options.clock;
    this.#log = options.log;
  }

  get live(): boolean {
    return this.#state === 'live';
  }

  get isLost(): boolean {
    return this.#state === 'lost';
  }

  /** Throws if there is no such session. */
  async start(): Promise<void> {
    if (!(await this.#tmux.hasSession(this.#session))) {
      throw unavailable(`there is no tmux session "${this.#session}"`, {
        hint: '"rouse ls" names the command that creates it again',
        facts: { cause: 'session_lost' },
      });
    }
    this.#state = 'live';
    await this.#connect();
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    this.#cancelRetry?.();
    const client = this.#client;
    this.#client = undefined;
    await client?.close();
  }

  async #connect(): Promise<void> {
    try {
      const client = await SessionLine.join(this.#tmux.exec, this.#place.target);
      await this.#place.reached(client.sessionId);
      if (this.#state !== 'live') return await client.close();
      this.#client = client;
      this.#retries = 0;
      client.events.on((event) => {
        if (event.kind === 'closed' && client === this.#client) void this.#lookAgain();
      });
      if (!client.open) await this.#lookAgain();
    } catch (error) {
      if (this.#retries === 0)
        this.#log.warn('tmux session out of reach', { session: this.#session, cause: messageOf(error) });
      this.#later();
    }
  }

  #later(): void {
    if (this.#state !== 'live') return;
    const pause = RECONNECT_MS[Math.min(this.#retries++, RECONNECT_MS.length - 1)]!;
    this.#cancelRetry = this.#clock.after(pause, () => void this.#lookAgain());
  }

  /** The client is gone. The session is lost only if tmux reports that it does not exist. */
  async #lookAgain(): Promise<void> {
    this.#client = undefined;
    if (this.#state !== 'live') return;
    const there = await this.#place.isThere().catch(() => true);
    if (this.#state !== 'live') return;
    if (there) return this.#connect();
    this.#state = 'lost';
    this.lost.emit(`tmux session "${this.#session}" has ended`);
  }
}
