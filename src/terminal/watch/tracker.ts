import * as os from 'node:os';
import { type Clock, Emitter } from '../../base/index.ts';
import { type AdmissionPolicy, type Reason, reasonRow, type TuiTimings } from '../../domain/index.ts';
import {
  type Detector,
  decideReadiness,
  type Facts,
  type GatePolicy,
  type Instant,
  markChars,
  NO_TURN,
  notePrompt,
  observe,
  type Readiness,
  reduceTurn,
  type Screen,
  stabilityAt,
  stillBeforeTyping,
  type TurnState,
} from '../../screen/index.ts';
import type { SignalReader } from '../../tools/index.ts';
import type { Parking } from '../limits/parking.ts';
import type { ToolLooks } from './foreground.ts';
import { limitSeen } from './limit-seen.ts';
import { nextDeadline } from './next-deadline.ts';
import type { PaneNews, PaneView, PaneWatch } from './pane-watch.ts';
import { lookForPeople, NO_PERSON, type PersonFacts } from './person.ts';
import type { Snapshot } from './snapshot.ts';
import { ToolProcess } from './tool-process.ts';

export interface TrackerOptions {
  watch: PaneWatch;
  /** The description of the tool's screens. Versions may differ in the buffer they draw in. */
  detectorFor: (alternate: boolean | undefined) => Detector;
  looks: ToolLooks;
  version: string | undefined;
  timings: TuiTimings;
  clock: Clock;
  parking: Parking;
  /** Reasons against typing from a server that owns the terminal. */
  owner?: { doubts(snapshot: Snapshot): Reason[]; noteReady(ready: boolean): void } | undefined;
}

/** tmux uses the machine's name as title until the tool sets one. */
const HOSTNAME = os.hostname();

/** Turns looks, processes and signals into one current snapshot of the agent. Timers run only until nothing is pending. */
export class Tracker {
  readonly changed = new Emitter<Snapshot>();
  readonly #options: TrackerOptions;
  readonly #process: ToolProcess;
  #detector: Detector;
  #calibrated = false;
  /** A mark typed to find the composer that the lane did not see disappear: not shown yet, shown, or gone since. */
  #trial: 'unseen' | 'shown' | 'gone' | undefined;
  #view: PaneView | undefined;
  #away: string | undefined = 'not looked at yet';
  #lost = false;
  #people: PersonFacts = NO_PERSON;
  #turn: TurnState = NO_TURN;
  #unseen: { typed: 'pasted' | 'entered'; longAtMs: number } | undefined;
  #snapshot: Snapshot;
  #cancel: (() => void) | undefined;
  #cancelLimit: (() => void) | undefined;

  constructor(options: TrackerOptions) {
    this.#options = options;
    this.#process = new ToolProcess(options.looks);
    this.#detector = options.detectorFor(undefined);
    this.#snapshot = this.#see();
    options.watch.news.on((news) => this.#take(news));
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  get detector(): Detector {
    return this.#detector;
  }

  get nowMs(): number {
    return this.#options.clock.monotonic();
  }

  /** Uses what calibration learned about an unknown tool. How the tool's process is recognised does not change. */
  learn(detector: Detector): void {
    this.#detector = detector;
    this.#calibrated = true;
    this.#update();
  }

  /** What was learned belongs to a process that has ended. */
  forget(): void {
    if (!this.#calibrated) return;
    this.#calibrated = false;
    this.#update();
  }

  get hasTrial(): boolean {
    return this.#trial !== undefined;
  }

  noteTrial(left: boolean): void {
    if (left === this.hasTrial) return;
    this.#trial = left ? 'unseen' : undefined;
    this.#update();
  }

  /** Whether the tool's screens are described for this version, or were learned. */
  recognises({ facts }: Snapshot): boolean {
    return this.#calibrated || (this.#detector.composers.length > 0 && facts.version.status !== 'outside');
  }

  /** Only the unknown version prevents typing, and the screen itself shows idle. */
  readsAsReady({ facts, turn }: Snapshot): boolean {
    const { ready } = decideReadiness(facts, { stable: true, turnPhase: turn.phase, calibrated: true });
    return ready && facts.proven_idle;
  }

  listen(signals: readonly SignalReader[]): void {
    this.#process.listen(signals);
    this.#update();
  }

  get signals(): readonly SignalReader[] {
    return this.#process.signals;
  }

  /** Called when a signal has news. */
  signalled(): void {
    this.#update();
  }

  /**
   * Takes a fresh look at screen, processes and people. The screen comes first: a key pressed after it is either seen
   * with the people or refused by tmux when typing.
   */
  async look(): Promise<Snapshot> {
    const seen = this.#options.watch.look();
    const [, people] = await Promise.all([seen, this.#seePeople()]);
    this.#notePeople(people);
    return this.#snapshot;
  }

  /** Asks the system, not the last look, whether the tool that was seen holds the pane now. */
  toolHoldsPane(): boolean {
    if (this.#process.read(this.#view?.pane)) this.#update();
    return this.#process.foreground.kind === 'tool';
  }

  gate(snapshot: Snapshot, admission: AdmissionPolicy): Readiness {
    return decideReadiness(snapshot.facts, {
      stable: this.#isStill(snapshot),
      turnPhase: snapshot.turn.phase,
      stalled: snapshot.turn.stalled,
      admission,
      calibrated: this.#calibrated,
      unseen: this.#unseenNow(snapshot),
      processUnknown: snapshot.foreground.kind === 'unknown',
      trialMark: this.#trial === 'gone' ? undefined : this.#trial,
      limit: this.#options.parking.hold,
      ...(this.#options.owner && { owner: this.#options.owner.doubts(snapshot) }),
    });
  }

  #unseenNow({ at }: Snapshot): GatePolicy['unseen'] {
    if (!this.#unseen) return undefined;
    const { typed, longAtMs } = this.#unseen;
    return at.ms < longAtMs ? typed : `${typed}_long`;
  }

  #isStill({ turn, facts }: Snapshot): boolean {
    const { clock, timings } = this.#options;
    const seconds = stillBeforeTyping(turn, facts, timings.stability_threshold_seconds);
    return stabilityAt(turn, clock.monotonic(), seconds).stable;
  }

  stability(snapshot: Snapshot): ReturnType<typeof stabilityAt> {
    const { clock, timings } = this.#options;
    return stabilityAt(snapshot.turn, clock.monotonic(), timings.stability_threshold_seconds);
  }

  /** Called when a prompt was submitted. `before` is what the screen showed then. */
  notePrompt(before: Facts): void {
    this.#turn = notePrompt(this.#turn, before, this.#now());
    this.#update();
  }

  /**
   * Notes typed text that the tool has not reacted to, and after which time that needs a person; undefined clears it.
   */
  noteUnseen(noted: { typed: 'pasted' | 'entered'; longMs: number } | undefined): void {
    if (noted?.typed === this.#unseen?.typed) return;
    this.#unseen = noted && { typed: noted.typed, longAtMs: this.nowMs + noted.longMs };
    this.#update();
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#cancelLimit?.();
    this.#cancelLimit = undefined;
    for (const signal of this.signals) signal.close();
  }

  #take(news: PaneNews): void {
    if (news.kind === 'people') {
      if (news.here || this.#people.attached > 0) void this.#lookForPeople();
      return;
    }
    if (news.kind === 'same') {
      if (this.#people.attached > 0) void this.#lookForPeople();
      if (!this.#process.read(this.#view?.pane)) return;
    } else if (news.kind === 'seen') {
      this.#view = news.view;
      this.#away = undefined;
    } else {
      this.#view = undefined;
      this.#away = news.reason;
      this.#lost = news.kind === 'lost';
    }
    this.#update();
  }

  async #seePeople(): Promise<PersonFacts> {
    const { watch, clock } = this.#options;
    const pane = this.#view?.pane.id;
    if (pane === undefined) return NO_PERSON;
    return lookForPeople(watch.tmux, { session: watch.session, pane }, clock);
  }

  /** While a client is attached, the poll also asks whether someone types. */
  async #lookForPeople(): Promise<void> {
    this.#notePeople(await this.#seePeople().catch(() => this.#people));
  }

  #notePeople(people: PersonFacts): void {
    const before = this.#people;
    this.#people = people;
    this.#options.watch.withPeople = people.attached > 0;
    if (people.typing !== before.typing || people.attached !== before.attached) this.#update();
  }

  #update(): void {
    this.#process.read(this.#view?.pane);
    this.#snapshot = this.#see();
    this.#arm();
    this.#informOwner();
    this.changed.emit(this.#snapshot);
  }

  /** Reports to the owner whether only the owner itself prevents typing. */
  #informOwner(): void {
    const { owner } = this.#options;
    if (!owner) return;
    const gate = this.gate(this.#snapshot, 'ready_only');
    owner.noteReady(gate.ready || gate.reasons.every(({ code }) => reasonRow(code).by === 'owner'));
  }

  #see(): Snapshot {
    const at = this.#now();
    const { version } = this.#options;
    const { foreground } = this.#process;
    const view = this.#view;
    if (view && this.#trial) this.#trial = markIn(view.screen, this.#trial);
    if (view && !this.#calibrated) this.#detector = this.#options.detectorFor(view.pane.alternateOn);
    const facts = observe({
      screen: view?.screen,
      detector: this.#detector,
      process: {
        foreground: foreground.kind,
        // Copy mode without an attached client was left behind; the lane leaves it before it types.
        copyMode: (view?.pane.inMode ?? false) && this.#people.attached > 0,
        personTyping: this.#people.typing,
        hostname: HOSTNAME,
        ...(version === undefined ? {} : { version }),
      },
      signals: this.signals.flatMap((signal) => signal.read()),
      ageMs: view ? at.ms - view.atMs : 0,
    });
    this.#turn = reduceTurn(this.#turn, facts, at, this.#options.timings);
    this.#options.parking.look({
      seen: limitSeen(facts, this.signals, this.#options.clock.now().getTime()),
      turn: this.#turn,
      readable: facts.composer.value !== null,
    });
    return {
      view,
      away: this.#away,
      lost: this.#lost,
      foreground,
      people: this.#people,
      facts,
      turn: this.#turn,
      at,
    };
  }

  /** Schedules the next instant at which time alone changes the result, if there is one. */
  #arm(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const { clock, timings } = this.#options;
    const now = clock.monotonic();
    const unseenMs = this.#unseen ? this.#unseen.longAtMs - now : 0;
    const seenMs = nextDeadline(this.#snapshot.turn, this.#snapshot.facts, now, timings);
    const due = unseenMs > 0 ? Math.min(unseenMs, seenMs ?? unseenMs) : seenMs;
    if (due !== undefined) this.#cancel = clock.after(due + 1, () => this.#update());
    this.#armLimit();
  }

  /** At the end of a usage limit, one look shows what the tool did in the meantime. */
  #armLimit(): void {
    this.#cancelLimit?.();
    this.#cancelLimit = undefined;
    const { clock, parking } = this.#options;
    const ms = parking.nextMs;
    if (ms === undefined) return;
    this.#cancelLimit = clock.after(ms + 1, () => {
      if (parking.nextMs !== undefined) this.#armLimit();
      else void this.look().catch(() => this.#update());
    });
  }

  #now(): Instant {
    const { clock } = this.#options;
    return { ms: clock.monotonic(), utc: clock.now().toISOString() };
  }
}

function markIn(screen: Screen, before: 'unseen' | 'shown' | 'gone'): 'unseen' | 'shown' | 'gone' {
  if (markChars(screen) > 0) return 'shown';
  return before === 'shown' ? 'gone' : before;
}
