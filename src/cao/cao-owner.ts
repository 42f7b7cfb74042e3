import { type Clock, Emitter } from '../base/index.ts';
import { type Reason, reason } from '../domain/index.ts';
import type { Owner, OwnerTyped, OwnerView, Snapshot } from '../terminal/owner.ts';
import { type CaoClient, type CaoTerminal, takesCaoKey } from './cao-client.ts';
import { fitsUrl, inputPath, MAX_URL_BYTES } from './cao-routes.ts';
import { isReadyFor, isUnobserved, type OwnerPlace, type OwnerReport, ownerDoubts } from './owner-state.ts';

export interface CaoOwnerOptions {
  client: CaoClient;
  terminalId: string;
  place: OwnerPlace;
  clock: Clock;
}

/** Pauses while our own snapshot is ready and the server disagrees or does not respond. */
const ASK_AGAIN_MS = [1000, 1000, 2000, 4000, 8000, 15_000];
/** Pause otherwise: a safety net, because changes are seen in the terminal itself. */
const ASK_SELDOM_MS = 15_000;
/** CAO sweeps every thirty seconds. Mail that waits longer on an idle agent is stuck and no reason to wait. */
const MAIL_IS_STUCK_MS = 90_000;

/** The CAO server that owns the agent's terminal: its report, and typing through it. */
export class CaoOwner implements Owner {
  readonly name = 'CAO';
  readonly source = 'cao';
  readonly changed = new Emitter<void>();
  readonly #options: CaoOwnerOptions;
  #report: OwnerReport | undefined;
  #emittedReport = '';
  /** Since when mail has been waiting although nothing prevents the server from delivering it. */
  #mailSince: number | undefined;
  /** Keys were pressed without the server, so its latched status may be old. */
  #stale = false;
  #ready = false;
  #disagreements = 0;
  #cancel: (() => void) | undefined;
  #asking: Promise<void> | undefined;
  #closed = false;

  constructor(options: CaoOwnerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#ask();
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  /**
   * Our own snapshot became ready or stopped being ready: the server is asked again, and more often while it disagrees.
   */
  noteReady(ready: boolean): void {
    if (ready === this.#ready) return;
    this.#ready = ready;
    this.#disagreements = 0;
    if (this.#report) void this.#ask();
  }

  doubts({ view }: Snapshot): Reason[] {
    const { place } = this.#options;
    const doubts = this.#report ? ownerDoubts(this.#report, place) : [reason('cao_away', 'not asked yet')];
    if (!view) return doubts;
    const { pane } = view;
    // The server types by window name, into whichever pane is active.
    if (pane.windowName !== place.window || pane.sessionName !== place.session)
      doubts.push(reason('cao_window', 'renamed'));
    else if (!pane.active) doubts.push(reason('cao_pane', 'not active'));
    if (pane.inputOff) doubts.push(reason('pane_input', 'off'));
    if (pane.synchronized) doubts.push(reason('pane_input', 'synchronized'));
    return doubts;
  }

  refusals(text: string): string[] {
    const { client, terminalId } = this.#options;
    if (fitsUrl(client.address.baseUrl, inputPath(terminalId, text))) return [];
    return [
      `CAO takes text in a URL, and this text makes more than the ${MAX_URL_BYTES} bytes that arrive whole`,
    ];
  }

  /** Asks for a fresh report at the instant of typing. */
  async ask(): Promise<void> {
    await this.#asking;
    await this.#ask();
  }

  async submit(text: string): Promise<OwnerTyped> {
    const { client, terminalId } = this.#options;
    return this.#typed(await client.input(terminalId, text));
  }

  async press(key: string): Promise<OwnerTyped | undefined> {
    const { client, terminalId } = this.#options;
    if (!takesCaoKey(key) || !(await client.abilities())?.key) return undefined;
    const answer = await client.key(terminalId, key);
    // A server that is down types nothing.
    return answer.kind === 'refused' && answer.status === null ? undefined : this.#typed(answer);
  }

  async pressedBehind(): Promise<void> {
    // Without a route for keys there is no latch either: the status is read from the screen.
    this.#stale = (await this.#options.client.abilities())?.key ?? true;
  }

  view({ view, away, foreground }: Snapshot): OwnerView {
    const { client, terminalId, place } = this.#options;
    const terminal = this.#report?.terminal;
    const ended = foreground.kind === 'shell' || foreground.kind === 'gone';
    const about = (state: OwnerView['state'], detail: string | null): OwnerView => ({
      baseUrl: client.address.baseUrl,
      terminalId,
      windowName: place.window,
      state,
      status: terminal?.kind === 'known' ? terminal.status : null,
      statusStale: this.#stale,
      detail,
    });
    if (!view) return about('window_gone', away ?? null);
    if (ended) return about('agent_ended', `in CAO’s window is ${foreground.kind}, not the agent`);
    return about(...stateOf(terminal));
  }

  #typed(answer: OwnerTyped): OwnerTyped {
    if (answer.kind !== 'refused') this.#stale = false;
    return answer;
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#askNow().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #askNow(): Promise<void> {
    const { client, terminalId, clock } = this.#options;
    this.#cancel?.();
    const terminal = await client.terminal(terminalId);
    const waits = isReadyFor(terminal) && (await client.hasPendingMail(terminalId)) === true;
    if (this.#closed) return;
    const now = clock.monotonic();
    this.#mailSince = waits && this.#ready ? (this.#mailSince ?? now) : undefined;
    const stuck = this.#mailSince !== undefined && now - this.#mailSince >= MAIL_IS_STUCK_MS;
    this.#report = { terminal, mail: waits && !stuck };
    this.#scheduleNext();
    const report = JSON.stringify(this.#report);
    if (report === this.#emittedReport) return;
    this.#emittedReport = report;
    this.changed.emit();
  }

  #scheduleNext(): void {
    const { clock, place } = this.#options;
    const agrees = this.#report !== undefined && ownerDoubts(this.#report, place).length === 0;
    if (agrees || !this.#ready) this.#disagreements = 0;
    const pause =
      agrees || !this.#ready
        ? ASK_SELDOM_MS
        : ASK_AGAIN_MS[Math.min(this.#disagreements++, ASK_AGAIN_MS.length - 1)]!;
    this.#cancel?.();
    this.#cancel = clock.after(pause, () => void this.#ask());
  }
}

function stateOf(terminal: CaoTerminal | undefined): [OwnerView['state'], string | null] {
  if (!terminal) return ['unreachable', 'not asked yet'];
  if (terminal.kind === 'unreachable') return ['unreachable', terminal.why];
  if (terminal.kind === 'unknown') return ['terminal_unknown', 'CAO no longer knows this terminal'];
  if (isUnobserved(terminal.status))
    return ['unobserved', 'CAO was started after this terminal, and does not see its screen'];
  return ['ok', null];
}
