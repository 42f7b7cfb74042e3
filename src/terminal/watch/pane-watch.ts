import { type Clock, Emitter, type Log, messageOf, unavailable } from '../../base/index.ts';
import { parseSnapshot, type Screen } from '../../screen/index.ts';
import { ControlClient, type ControlEvent, type Pane, type Tmux, tmuxProblemOf } from '../../tmux/index.ts';
import { SessionPlace } from '../session-place.ts';

/** One look at the agent's pane. */
export interface PaneView {
  pane: Pane;
  screen: Screen;
  atMs: number;
  atUtc: string;
}

/** `away`: the session lives, its window 0 or the way to it does not, for now. `lost`: the session has ended. */
export type PaneNews =
  | { kind: 'seen'; view: PaneView }
  /** Looked, and nothing that tmux tells cheaply has changed. */
  | { kind: 'same' }
  /** Somebody attached to the session or left it. */
  | { kind: 'people' }
  | { kind: 'away'; reason: string }
  | { kind: 'lost'; reason: string };

export interface PaneWatchOptions {
  tmux: Tmux;
  session: string;
  clock: Clock;
  pollMs: number;
  log: Log;
}

/** Snapshots while output flows: at most one in this time; sooner while somebody waits for what comes next. */
const CALM_MS = 25;
const KEEN_MS = 2;
const RECONNECT_MS = [50, 200, 1000, 5000];

/**
 * Follows window 0 of a session through one control client. The pane's output is only a reason to look: tmux keeps
 * the terminal, and a look takes its screen and facts in one instant. A slow poll of cheap facts is the safety net.
 */
export class PaneWatch {
  readonly news = new Emitter<PaneNews>();
  readonly #options: PaneWatchOptions;
  readonly #place: SessionPlace;
  #client: ControlClient | undefined;
  #tmux: Tmux;
  #pane: string | undefined;
  #last: Pane | undefined;
  #keen = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #outputAt = Number.NEGATIVE_INFINITY;
  #cancelLook: (() => void) | undefined;
  #cancelPoll: (() => void) | undefined;
  #cancelRetry: (() => void) | undefined;
  #lastTrouble = '';
  #retries = 0;
  #state: 'new' | 'open' | 'away' | 'lost' | 'closed' = 'new';

  constructor(options: PaneWatchOptions) {
    this.#options = options;
    this.#tmux = options.tmux;
    this.#place = new SessionPlace(options.tmux, options.session);
  }

  /** The session as tmux is asked for it. */
  get session(): string {
    return this.#place.target;
  }

  get tmux(): Tmux {
    return this.#tmux;
  }

  /** When the agent's program last wrote something, as far as this watch has seen. Monotonic. */
  get outputAtMs(): number {
    return this.#outputAt;
  }

  /** Throws when the session or its window 0 is not there. */
  async start(): Promise<void> {
    await this.#connect();
    await this.look();
    this.#poll();
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    this.#cancelLook?.();
    this.#cancelPoll?.();
    this.#cancelRetry?.();
    const client = this.#client;
    this.#client = undefined;
    await client?.close();
  }

  /** A fresh look, told to everybody before it is returned. */
  async look(): Promise<PaneView> {
    if (this.#pane === undefined || this.#state !== 'open')
      throw unavailable('the agent’s terminal is out of reach');
    try {
      const { pane, screen } = await this.#tmux.snapshotPane(this.#pane, { escapes: true });
      return this.#seen(pane, screen);
    } catch (error) {
      this.#trouble(error);
      throw error;
    }
  }

  /** While held, output is looked at almost at once. Release it soon. */
  keenly(): () => void {
    this.#keen++;
    let held = true;
    return () => {
      if (held) this.#keen--;
      held = false;
    };
  }

  #seen(pane: Pane, text: string): PaneView {
    const { clock } = this.#options;
    const screen = parseSnapshot(text, {
      columns: pane.width,
      height: pane.height,
      cursor: { x: pane.cursorX, y: pane.cursorY, visible: pane.cursorVisible },
      alternate: pane.alternateOn,
      title: pane.title,
    });
    const view = { pane, screen, atMs: clock.monotonic(), atUtc: clock.now().toISOString() };
    this.#lastTrouble = '';
    this.#last = pane;
    this.#lookedAt = view.atMs;
    this.news.emit({ kind: 'seen', view });
    return view;
  }

  async #connect(): Promise<void> {
    const { tmux } = this.#options;
    const client = await ControlClient.attach(tmux.exec, this.session);
    if (this.#state === 'closed') return client.close();
    this.#client = client;
    this.#tmux = tmux.via(client);
    client.events.on((event) => this.#event(client, event));
    await this.#place.reached(client.sessionId);
    const pane = await this.#tmux.firstPane(this.session);
    if (!pane) throw noAgentWindow(this.session);
    await client.watchOutput(pane.id, () => {
      this.#outputAt = this.#options.clock.monotonic();
      this.#soon();
    });
    this.#pane = pane.id;
    this.#state = 'open';
    this.#retries = 0;
  }

  #event(client: ControlClient, event: ControlEvent): void {
    if (client !== this.#client || this.#state === 'closed') return;
    if (event.kind === 'client-session-changed' || event.kind === 'client-detached')
      this.news.emit({ kind: 'people' });
    if (event.kind === 'closed') void this.#reconnect(event.reason);
    else if (event.kind !== 'subscription-changed' && event.kind !== 'other') this.#soon();
  }

  /** Looks soon: at most once in a while, but always after the last sign of a change. */
  #soon(): void {
    if (this.#cancelLook || this.#state !== 'open') return;
    const { clock } = this.#options;
    const pause = this.#keen > 0 ? KEEN_MS : CALM_MS;
    const wait = Math.max(this.#keen > 0 ? 0 : pause, this.#lookedAt + pause - clock.monotonic());
    this.#cancelLook = clock.after(wait, () => {
      this.#cancelLook = undefined;
      this.look().catch(() => {});
    });
  }

  #poll(): void {
    this.#cancelPoll?.();
    if (this.#state === 'closed' || this.#state === 'lost') return;
    this.#cancelPoll = this.#options.clock.after(this.#options.pollMs, () => {
      this.#glance()
        .catch((error: unknown) => this.#trouble(error))
        .finally(() => this.#poll());
    });
  }

  /** What tmux tells cheaply; only when it differs is the screen taken again. */
  async #glance(): Promise<void> {
    if (this.#state !== 'open' || this.#pane === undefined) return;
    if (this.#options.clock.monotonic() - this.#lookedAt < this.#options.pollMs / 2) return;
    const pane = await this.#tmux.showPane(this.#pane);
    if (JSON.stringify(pane) !== JSON.stringify(this.#last)) await this.look();
    else this.news.emit({ kind: 'same' });
  }

  #trouble(error: unknown): void {
    if (this.#state !== 'open') return;
    const problem = tmuxProblemOf(error);
    if (problem === 'no_pane') void this.#reconnect('window 0 of the session has no pane any more');
    else if (problem !== 'disconnected') this.#complain(messageOf(error));
  }

  /** Once for a run of the same trouble. */
  #complain(cause: string): void {
    if (cause !== this.#lastTrouble) this.#options.log.warn('terminal look failed', { cause });
    this.#lastTrouble = cause;
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** The client is gone or its pane is. Whether the session itself has ended decides what that means. */
  async #reconnect(reason: string): Promise<void> {
    if (this.#state === 'closed' || this.#state === 'lost' || this.#state === 'away') return;
    this.#state = 'away';
    this.#pane = undefined;
    const client = this.#client;
    this.#client = undefined;
    this.#tmux = this.#options.tmux;
    await client?.close().catch(() => {});
    await this.#tryAgain(reason);
  }

  async #tryAgain(reason: string): Promise<void> {
    const { session, clock, log } = this.#options;
    if (this.#state === 'closed') return;
    if (!(await this.#place.isThere().catch(() => true))) {
      this.#state = 'lost';
      this.news.emit({ kind: 'lost', reason: `tmux session "${session}" has ended` });
      return;
    }
    try {
      await this.#connect();
      await this.look();
      log.info('terminal reached again', { session });
    } catch (error) {
      if (this.#isClosed()) return;
      if (this.#retries === 0)
        log.warn('terminal out of reach', { session, reason, cause: messageOf(error) });
      this.#state = 'away';
      this.news.emit({ kind: 'away', reason: messageOf(error) });
      const client = this.#client;
      this.#client = undefined;
      await client?.close().catch(() => {});
      const pause = RECONNECT_MS[Math.min(this.#retries++, RECONNECT_MS.length - 1)]!;
      this.#cancelRetry = clock.after(pause, () => void this.#tryAgain(reason));
    }
  }
}

function noAgentWindow(session: string): Error {
  return unavailable(`tmux session "${session}" has no window 0`, {
    hint: 'The agent’s window was closed; "rouse agents relaunch" brings it back.',
  });
}
