import * as os from 'node:os';
import { type Clock, Emitter } from '../../base/index.ts';
import { type AdmissionPolicy, type Reason, reasonRow, type TuiTimings } from '../../domain/index.ts';
import {
  type Detector,
  decideReadiness,
  type Facts,
  type GatePolicy,
  type Instant,
  isLimitOver,
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
import type { ToolLooks } from './foreground.ts';
import { nextDeadline } from './next-deadline.ts';
import type { PaneNews, PaneView, PaneWatch } from './pane-watch.ts';
import { lookForPeople, NOBODY, type PersonFacts } from './person.ts';
import type { Sight } from './sight.ts';
import { ToolProcess } from './tool-process.ts';

export interface TrackerOptions {
  watch: PaneWatch;
  /** The description of the tool's screens; its versions may differ in the buffer they draw in. */
  detectorFor: (alternate: boolean | undefined) => Detector;
  looks: ToolLooks;
  version: string | undefined;
  timings: TuiTimings;
  clock: Clock;
  /** What a server that owns the terminal says against typing. */
  owner?: { doubts(sight: Sight): Reason[]; noteReady(ready: boolean): void } | undefined;
}

/** A title that is only the machine's name is what tmux puts there before the tool does. */
const HOSTNAME = os.hostname();

/** Turns looks, processes and signals into one current sight of the agent. Timers run only until nothing is pending. */
export class Tracker {
  readonly changed = new Emitter<Sight>();
  readonly #options: TrackerOptions;
  readonly #process: ToolProcess;
  #detector: Detector;
  #calibrated = false;
  /** A mark typed to find the composer that the lane did not see go: not shown yet, shown, or gone since. */
  #trial: 'unseen' | 'shown' | 'gone' | undefined;
  #view: PaneView | undefined;
  #away: string | undefined = 'not looked at yet';
  #lost = false;
  #people: PersonFacts = NOBODY;
  #turn: TurnState = NO_TURN;
  #unseen: { typed: 'pasted' | 'entered'; longAtMs: number } | undefined;
  #sight: Sight;
  #cancel: (() => void) | undefined;

  constructor(options: TrackerOptions) {
    this.#options = options;
    this.#process = new ToolProcess(options.looks);
    this.#detector = options.detectorFor(undefined);
    this.#sight = this.#see();
    options.watch.news.on((news) => this.#take(news));
  }

  get sight(): Sight {
    return this.#sight;
  }

  get detector(): Detector {
    return this.#detector;
  }

  get nowMs(): number {
    return this.#options.clock.monotonic();
  }

  /** What calibration has shown of an unknown tool; the tool's own way of being known stays. */
  learn(detector: Detector): void {
    this.#detector = detector;
    this.#calibrated = true;
    this.#update();
  }

  /** What was learned belongs to a process that is gone. */
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

  /** Whether the tool's screens are described, in a version that is known, or were learned. */
  recognises({ facts }: Sight): boolean {
    return this.#calibrated || (this.#detector.composers.length > 0 && facts.version.status !== 'outside');
  }

  /** Nothing but the unknown version speaks against typing, and the screen itself says idle. */
  readsAsReady({ facts, turn }: Sight): boolean {
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

  /** One of the signals has something new. */
  signalled(): void {
    this.#update();
  }

  /**
   * A fresh look at screen, processes and people. The screen first: a key pressed after it is either seen among the
   * people or refused by tmux at the instant of typing.
   */
  async look(): Promise<Sight> {
    const seen = this.#options.watch.look();
    const [, people] = await Promise.all([seen, this.#seePeople()]);
    this.#notePeople(people);
    return this.#sight;
  }

  /** Asked of the system, not of the last look: the tool that was seen holds the pane at this instant. */
  toolHoldsPane(): boolean {
    if (this.#process.read(this.#view?.pane)) this.#update();
    return this.#process.foreground.kind === 'tool';
  }

  gate(sight: Sight, admission: AdmissionPolicy): Readiness {
    return decideReadiness(sight.facts, {
      stable: this.#isStill(sight),
      turnPhase: sight.turn.phase,
      stalled: sight.turn.stalled,
      admission,
      calibrated: this.#calibrated,
      unseen: this.#unseenNow(sight),
      processUnknown: sight.foreground.kind === 'unknown',
      trialMark: this.#trial === 'gone' ? undefined : this.#trial,
      ignoreUsageLimit: isLimitOver(sight.turn, this.nowMs),
      ...(this.#options.owner && { owner: this.#options.owner.doubts(sight) }),
    });
  }

  #unseenNow({ at }: Sight): GatePolicy['unseen'] {
    if (!this.#unseen) return undefined;
    const { typed, longAtMs } = this.#unseen;
    return at.ms < longAtMs ? typed : `${typed}_long`;
  }

  #isStill({ turn, facts }: Sight): boolean {
    const { clock, timings } = this.#options;
    const seconds = stillBeforeTyping(turn, facts, timings.stability_threshold_seconds);
    return stabilityAt(turn, clock.monotonic(), seconds).stable;
  }

  stability(sight: Sight): ReturnType<typeof stabilityAt> {
    const { clock, timings } = this.#options;
    return stabilityAt(sight.turn, clock.monotonic(), timings.stability_threshold_seconds);
  }

  /** A prompt was submitted. `before`: what the screen showed then. */
  notePrompt(before: Facts): void {
    this.#turn = notePrompt(this.#turn, before, this.#now());
    this.#update();
  }

  /** What was typed and has not been answered, and after which time that needs a person; undefined when nothing is. */
  noteUnseen(noted: { typed: 'pasted' | 'entered'; longMs: number } | undefined): void {
    if (noted?.typed === this.#unseen?.typed) return;
    this.#unseen = noted && { typed: noted.typed, longAtMs: this.nowMs + noted.longMs };
    this.#update();
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
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
    if (pane === undefined) return NOBODY;
    return lookForPeople(watch.tmux, { session: watch.session, pane }, clock);
  }

  /** While somebody is attached the poll also asks whether they type. */
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
    this.#sight = this.#see();
    this.#arm();
    this.#tellOwner();
    this.changed.emit(this.#sight);
  }

  /** Whether nothing but the owner itself speaks against typing. */
  #tellOwner(): void {
    const { owner } = this.#options;
    if (!owner) return;
    const gate = this.gate(this.#sight, 'ready_only');
    owner.noteReady(gate.ready || gate.reasons.every(({ code }) => reasonRow(code).by === 'owner'));
  }

  #see(): Sight {
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
        // Copy mode that nobody looks at was left behind; the lane leaves it before it types.
        copyMode: (view?.pane.inMode ?? false) && this.#people.attached > 0,
        personTyping: this.#people.typing,
        hostname: HOSTNAME,
        ...(version === undefined ? {} : { version }),
      },
      signals: this.signals.flatMap((signal) => signal.read()),
      ageMs: view ? at.ms - view.atMs : 0,
    });
    this.#turn = reduceTurn(this.#turn, facts, at, this.#options.timings);
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

  /** The next instant at which time alone changes the answer; none when nothing is pending. */
  #arm(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const { clock, timings } = this.#options;
    const now = clock.monotonic();
    const unseenMs = this.#unseen ? this.#unseen.longAtMs - now : 0;
    const seenMs = nextDeadline(this.#sight.turn, this.#sight.facts, now, timings);
    const due = unseenMs > 0 ? Math.min(unseenMs, seenMs ?? unseenMs) : seenMs;
    if (due !== undefined) this.#cancel = clock.after(due + 1, () => this.#update());
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
