import { type Clock, Emitter, type Log, messageOf, unavailable } from '../../base/index.ts';
import { parseSnapshot, type Screen } from '../../screen/index.ts';
import {
  type LineEvent,
  OutputSigns,
  type Pane,
  type PaneMark,
  SessionLine,
  type Snapshot,
  type Tmux,
  tmuxProblemOf,
} from '../../tmux/index.ts';
import { SessionPlace } from '../session-place.ts';
import { LookTimes } from './look-times.ts';

/** One look at the agent's pane. */
export interface PaneView {
  pane: Pane;
  screen: Screen;
  atMs: number;
  atUtc: string;
}

/** `away`: the session lives, but its window 0 is gone or out of reach for now. `lost`: the session has ended. */
export type PaneNews =
  | { kind: 'seen'; view: PaneView }
  /** Looked, and nothing that tmux reports cheaply has changed. */
  | { kind: 'same' }
  /** A client attached to this session (`here`), or left this one or another. */
  | { kind: 'people'; here: boolean }
  | { kind: 'away'; reason: string }
  | { kind: 'lost'; reason: string };

export interface PaneWatchOptions {
  tmux: Tmux;
  session: string;
  /** The name of the agent's window, if the server that owns it does not promise window 0. */
  window?: string | undefined;
  /** The agent's pane; undefined means the first pane of window 0. */
  pane?: string | undefined;
  /** What the agent's pane is marked with if it shares its session with others. */
  mark?: PaneMark | undefined;
  clock: Clock;
  pollMs: number;
  log: Log;
}

/** While nothing happens the safety-net poll doubles its interval each time, up to this factor. */
const MAX_POLL_FACTOR = 32;
const RECONNECT_MS = [50, 200, 1000, 5000];

/**
 * Follows window 0 of a session. Output is only a reason to look: tmux keeps the terminal, and a look reads its screen
 * and facts in one instant. A slow poll of cheap facts is the safety net.
 */
export class PaneWatch {
  readonly news = new Emitter<PaneNews>();
  readonly #options: PaneWatchOptions;
  readonly #place: SessionPlace;
  readonly #times: LookTimes;
  #line: SessionLine | undefined;
  #signs: OutputSigns | undefined;
  #tmux: Tmux;
  #pane: string | undefined;
  #last: { pane: Pane; text: string; screen: Screen } | undefined;
  #people = false;
  #calmPolls = 0;
  #cancelPoll: (() => void) | undefined;
  #cancelRetry: (() => void) | undefined;
  #lastTrouble = '';
  #retries = 0;
  #checkedPlace = '';
  #state: 'new' | 'open' | 'away' | 'lost' | 'closed' = 'new';

  constructor(options: PaneWatchOptions) {
    this.#options = options;
    this.#tmux = options.tmux;
    this.#place = new SessionPlace(options.tmux, options.session);
    this.#times = new LookTimes(options.clock, () => this.look().catch(() => {}));
  }

  /** The session as it is named to tmux. */
  get session(): string {
    return this.#place.target;
  }

  get tmux(): Tmux {
    return this.#tmux;
  }

  /** When this watch last saw output of the agent's program. Monotonic. */
  get outputAtMs(): number {
    return this.#times.outputAtMs;
  }

  /** Throws if the session or its window 0 does not exist. */
  async start(): Promise<void> {
    await this.#connect();
    await this.look();
    this.#poll();
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    this.#times.stop();
    this.#cancelPoll?.();
    this.#cancelRetry?.();
    await this.#letGo();
  }

  /** Takes a fresh look, and emits it before returning it. */
  async look(): Promise<PaneView> {
    if (this.#pane === undefined || this.#state !== 'open')
      throw unavailable('the agent’s terminal is out of reach');
    try {
      return this.#seen(await this.#tmux.snapshotPane(this.#pane, { escapes: true }));
    } catch (error) {
      this.#trouble(error);
      throw error;
    }
  }

  /** While held, output is looked at almost immediately. Release it soon. */
  watchClosely(): () => void {
    return this.#times.watchClosely();
  }

  /** While people are attached the poll keeps its shortest interval: no event reports what they do. */
  set withPeople(people: boolean) {
    if (people === this.#people) return;
    this.#people = people;
    this.#poll();
  }

  #seen({ pane, screen: text }: Snapshot): PaneView {
    const { clock } = this.#options;
    const screen = this.#read(pane, text);
    const view = { pane, screen, atMs: clock.monotonic(), atUtc: clock.now().toISOString() };
    this.#lastTrouble = '';
    this.#last = { pane, text, screen };
    this.#times.looked(view.atMs);
    this.#signs?.follow(pane).catch((error: unknown) => this.#trouble(error));
    this.news.emit({ kind: 'seen', view });
    if (pane.sessionId !== this.#line?.sessionId) void this.#checkMoved(pane).catch(() => {});
    return view;
  }

  /** A pane may be in several sessions at once, by a linked window. It was moved if it is no longer in the one followed. */
  async #checkMoved({ id, sessionId, windowId }: Pane): Promise<void> {
    const place = `${sessionId} ${windowId}`;
    if (this.#state !== 'open' || place === this.#checkedPlace) return;
    this.#checkedPlace = place;
    const panes = await this.#options.tmux.listPanes(this.session).catch(() => []);
    if (panes.some((pane) => pane.id === id)) return;
    this.#place.moved(sessionId);
    await this.#reconnect('the agent’s pane was moved to another session');
  }

  /** Where the agent's pane is now, if its session ended without it. */
  async #followPane(): Promise<void> {
    const id = this.#last?.pane.id;
    if (id === undefined || (!this.#options.pane && !this.#options.mark)) return;
    if (!(await this.#place.isSameServer())) return;
    const pane = await this.#options.tmux.showPane(id).catch(() => undefined);
    if (pane) this.#place.moved(pane.sessionId);
  }

  #read(pane: Pane, text: string): Screen {
    const last = this.#last;
    if (last?.text === text && isSame(last.pane, pane)) return last.screen;
    this.#calmPolls = 0;
    return parseSnapshot(text, {
      columns: pane.width,
      height: pane.height,
      cursor: { x: pane.cursorX, y: pane.cursorY, visible: pane.cursorVisible },
      alternate: pane.alternateOn,
      title: pane.title,
    });
  }

  async #connect(): Promise<void> {
    const { tmux } = this.#options;
    const target = await this.#sessionOfAgent();
    const line = await SessionLine.join(tmux.exec, target);
    if (this.#state === 'closed') return line.close();
    if (target !== this.session) this.#place.moved(line.sessionId);
    this.#line = line;
    this.#tmux = tmux.via(line);
    line.events.on((event) => this.#event(line, event));
    await this.#place.reached(line.sessionId);
    const { window, pane: named, mark } = this.#options;
    const pane = await (window === undefined
      ? this.#tmux.agentPane(this.session, named, mark)
      : this.#tmux.paneOfWindow(this.session, window));
    if (!pane) throw noAgentWindow(this.#options);
    this.#signs = new OutputSigns(line, () => this.#times.wrote());
    await this.#signs.follow(pane);
    this.#pane = pane.id;
    this.#state = 'open';
    this.#retries = 0;
  }

  /** The session that the agent's pane is in: as recorded, unless a person moved the pane to another one. */
  async #sessionOfAgent(): Promise<string> {
    const { tmux, window, pane: named, mark } = this.#options;
    if (window !== undefined || !mark) return this.session;
    const pane = await tmux.agentPane(this.session, named, mark).catch(() => undefined);
    if (!pane || [pane.sessionId, pane.sessionName].includes(this.session)) return this.session;
    const here = await tmux.listPanes(this.session).catch(() => []);
    return here.some(({ id }) => id === pane.id) ? this.session : pane.sessionId;
  }

  async #letGo(): Promise<void> {
    const line = this.#line;
    this.#line = undefined;
    this.#signs?.close();
    this.#signs = undefined;
    this.#tmux = this.#options.tmux;
    await line?.close();
  }

  #event(line: SessionLine, event: LineEvent): void {
    if (line !== this.#line || this.#state === 'closed') return;
    if (event.kind === 'closed') return void this.#reconnect(event.reason);
    const here = concerns(event, line.sessionId, this.#last?.pane);
    if (event.kind === 'client-session-changed' || event.kind === 'client-detached')
      this.news.emit({ kind: 'people', here });
    if (here) this.#times.soon();
  }

  #poll(): void {
    this.#cancelPoll?.();
    if (this.#state === 'closed' || this.#state === 'lost') return;
    const { clock, pollMs } = this.#options;
    const isReported = this.#signs?.isReliable && !this.#people;
    const intervals = isReported ? Math.min(MAX_POLL_FACTOR, 2 ** this.#calmPolls) : 1;
    const wait = intervals === 1 ? pollMs : inStep(clock.monotonic(), pollMs * intervals);
    this.#cancelPoll = clock.after(wait, () => {
      this.#glance()
        .catch((error: unknown) => this.#trouble(error))
        .finally(() => this.#poll());
    });
  }

  /** Reads what tmux reports cheaply. The screen is captured again only if that differs. */
  async #glance(): Promise<void> {
    if (this.#state !== 'open' || this.#pane === undefined) return;
    if (this.#options.clock.monotonic() - this.#times.lookedAtMs < this.#options.pollMs / 2) return;
    const before = this.#last?.pane;
    const now = before && (await this.#line!.glance(before));
    if (!this.#last || !now || !isSame(this.#last.pane, now)) return void (await this.look());
    this.#calmPolls++;
    this.news.emit({ kind: 'same' });
  }

  #trouble(error: unknown): void {
    if (this.#state !== 'open') return;
    const problem = tmuxProblemOf(error);
    if (problem === 'no_pane') void this.#reconnect('the agent’s window has no pane any more');
    else if (problem !== 'disconnected') this.#complain(messageOf(error));
  }

  /** Logs a repeated failure once. */
  #complain(cause: string): void {
    if (cause !== this.#lastTrouble) this.#options.log.warn('terminal look failed', { cause });
    this.#lastTrouble = cause;
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** The client or its pane is gone. What that means depends on whether the session itself has ended. */
  async #reconnect(reason: string): Promise<void> {
    if (this.#state === 'closed' || this.#state === 'lost' || this.#state === 'away') return;
    this.#state = 'away';
    this.#pane = undefined;
    await this.#letGo().catch(() => {});
    await this.#tryAgain(reason);
  }

  async #tryAgain(reason: string): Promise<void> {
    const { session, clock, log } = this.#options;
    if (this.#state === 'closed') return;
    if (!(await this.#place.isThere().catch(() => true))) await this.#followPane();
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
      await this.#letGo().catch(() => {});
      const pause = RECONNECT_MS[Math.min(this.#retries++, RECONNECT_MS.length - 1)]!;
      this.#cancelRetry = clock.after(pause, () => void this.#tryAgain(reason));
    }
  }
}

/**
 * About `periodMs` from now, at an instant shared with other watches of this process that have the same, half or double
 * the period.
 */
function inStep(nowMs: number, periodMs: number): number {
  return Math.ceil(nowMs / periodMs + 0.5) * periodMs - nowMs;
}

function isSame(one: Pane, other: Pane): boolean {
  return (Object.keys(one) as (keyof Pane)[]).every((field) => one[field] === other[field]);
}

/** Whether this pane may look different now. The server's events are shared by all watches. */
function concerns(event: LineEvent, session: string, pane: Pane | undefined): boolean {
  if ('pane' in event)
    return event.pane === pane?.id || ('window' in event && event.window === pane?.windowId);
  if ('window' in event) return event.window === pane?.windowId;
  if ('session' in event) return event.session === session;
  return event.kind === 'sessions-changed';
}

function noAgentWindow({ session, window }: PaneWatchOptions): Error {
  if (window !== undefined)
    return unavailable(`tmux session "${session}" has no window named "${window}" any more`);
  return unavailable(`tmux session "${session}" has no window 0`, {
    hint: 'The agent’s window was closed; "rouse ls" names the command that brings it back.',
  });
}
