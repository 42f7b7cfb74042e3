import { crashPoint, isRouseError, messageOf, sleep } from '../base/index.ts';
import type { Facts } from '../screen/index.ts';
import { tmuxProblemOf } from '../tmux/index.ts';
import { type Held, heldText, isHeld } from './held-text.ts';
import { keepAttempt } from './lane-attempt.ts';
import { evidenceAt, type LaneContext, sameAs } from './lane-context.ts';
import type { DeliveryOutcome, DeliveryResult, Evidence, PromptDelivery } from './port.ts';
import { type PreparedPrompt, preparePrompt } from './prepare-prompt.ts';
import { type Baseline, baselineOf, proofOfSubmission, type Sent, turnBegan } from './prove-submission.ts';
import { takeBack } from './take-back.ts';
import type { Sight } from './tracker.ts';
import { waitUntil } from './wait-until.ts';

export interface PromptOnLane extends LaneContext {
  prompt: PromptDelivery;
  /** Where the lane keeps how far it came. */
  attemptFile: string;
  /** Told when submission is proven, with what was to be seen before Enter. */
  submitted: (before: Facts) => void;
}

const MOST_ENTERS = 3;
/** A look and the typing after it may be overtaken by a redraw; that costs nothing but another look. */
const MOST_OVERTAKEN = 40;

/** Puts one prompt into the tool and proves it. Every refusal is a result; nothing here throws for one. */
export async function deliverPrompt(on: PromptOnLane): Promise<DeliveryResult> {
  const delivery = new Delivery(on);
  const ended = await delivery.run();
  return { ...ended, evidence: delivery.evidence };
}

type Ending = Omit<DeliveryResult, 'evidence'>;

/** Enter was pressed; this is what was to be seen just before. */
interface Entered {
  baseline: Baseline;
  before: Facts;
}

const untouched = (outcome: DeliveryOutcome, ...reasons: string[]): Ending => ({
  outcome,
  reasons,
  untouched: true,
});
const touched = (outcome: DeliveryOutcome, ...reasons: string[]): Ending => ({
  outcome,
  reasons,
  untouched: false,
});

class Delivery {
  readonly evidence: Evidence[] = [];
  readonly #on: PromptOnLane;
  readonly #prepared: PreparedPrompt;
  readonly #sent: Sent;
  #pastedAtMs = 0;
  #sinceMs = 0;

  constructor(on: PromptOnLane) {
    this.#on = on;
    const { detector, signals } = on.tracker;
    this.#prepared = preparePrompt(on.prompt.text, detector.input);
    this.#sent = { text: this.#prepared.text, detector, signals, clock: on.clock };
  }

  async run(): Promise<Ending> {
    if (this.#prepared.refusals.length > 0) return untouched('refused', ...this.#prepared.refusals);
    const first = this.#closedBy(await this.#firstLook());
    if (first) return first;
    const { tmux } = this.#on.watch;
    const buffer = await tmux.loadBuffer(this.#prepared.text);
    try {
      return (await this.#type(buffer)) ?? (await this.#afterPaste());
    } finally {
      void tmux.deleteBuffer(buffer);
    }
  }

  /** Copy mode that nobody looks at was left behind; with a person attached it is theirs. */
  async #firstLook(): Promise<Sight> {
    const { tracker, watch } = this.#on;
    const sight = await tracker.look();
    if (!sight.view?.pane.inMode || sight.people.attached > 0) return sight;
    await watch.tmux.leaveMode(sight.view.pane.id);
    return tracker.look();
  }

  /** The gate's refusal, or undefined when the prompt may be typed. */
  #closedBy(sight: Sight): Ending | undefined {
    const { tracker, prompt } = this.#on;
    const gate = tracker.gate(sight, prompt.policy);
    if (!gate.ready) return untouched('not_ready', ...gate.reasons.map(({ fragment }) => fragment));
    if (prompt.signal?.aborted) return untouched('cancelled', 'the caller has gone');
    const { pane } = sight.view!;
    if (pane.bracketedPaste === false || (pane.bracketedPaste === undefined && this.#isUnproven())) {
      if (this.#sent.text.includes('\n'))
        return untouched('refused', 'the tool does not take pastes of several lines as one');
    }
    return undefined;
  }

  #isUnproven(): boolean {
    return this.#sent.detector.tool === 'calibrated';
  }

  /** Asks again, records, looks again and pastes in one step with the last check. An ending means nothing was typed. */
  async #type(buffer: string): Promise<Ending | undefined> {
    const { tracker, watch, prompt, clock, attemptFile } = this.#on;
    const again = await prompt.recheck?.();
    if (again && !again.go) return untouched('superseded', again.reason);
    keepAttempt(attemptFile, { request_id: prompt.requestId, step: 'before_paste', baseline: null });
    await this.#record('typing', 'lane', this.#describe());
    crashPoint('lane.typing');
    let refused = '';
    for (let tries = 0; tries < MOST_OVERTAKEN; tries++) {
      const sight = await tracker.look();
      const closed = this.#closedBy(sight);
      if (closed) return closed;
      this.#sinceMs = clock.now().getTime();
      const baseline = baselineOf(sight, this.#sent, this.#sinceMs);
      keepAttempt(attemptFile, { request_id: prompt.requestId, step: 'pasting', baseline });
      try {
        await watch.tmux.pasteBuffer(sight.view!.pane.id, buffer, { expect: sameAs(sight.view!) });
        this.#pastedAtMs = clock.monotonic();
        crashPoint('lane.pasted');
        return undefined;
      } catch (error) {
        if (!nothingTyped(error))
          return touched('unconfirmed', `the paste may have arrived: ${messageOf(error)}`);
        refused = messageOf(error);
      }
    }
    return untouched('not_ready', `the screen does not hold still: ${refused}`);
  }

  async #afterPaste(): Promise<Ending> {
    const { patience, clock } = this.#on;
    const sizeFactor = 1 + Buffer.byteLength(this.#sent.text) / 65_536;
    const shown = await waitUntil(
      this.#on,
      (sight) => (sight.foreground.kind === 'tool' ? this.#heldOrUndefined(sight) : 'gone'),
      patience.echoMs * sizeFactor,
    );
    if (shown === undefined || shown === 'gone') return this.#notShown();
    await this.#record('typed', 'composer', {
      held: shown,
      ms: Math.round(clock.monotonic() - this.#pastedAtMs),
    });
    crashPoint('lane.typed');
    return this.#submit();
  }

  #heldOrUndefined(sight: Sight): Held | undefined {
    const held = heldText(sight.facts, this.#sent.text, this.#sent.detector.input);
    return isHeld(held) ? held : undefined;
  }

  #notShown(): Ending {
    const { facts, foreground } = this.#on.tracker.sight;
    if (foreground.kind !== 'tool') return touched('unconfirmed', `the tool went away: ${foreground.kind}`);
    if (facts.dialog.value) {
      return touched('unconfirmed', `a dialog (${facts.dialog.value.kind}) opened; Enter was not pressed`);
    }
    const held = heldText(facts, this.#sent.text, this.#sent.detector.input);
    return touched('unconfirmed', `the composer did not show the text (${held}); Enter was not pressed`);
  }

  async #submit(): Promise<Ending> {
    const { patience, clock, tracker } = this.#on;
    const rest = this.#pastedAtMs + this.#sent.detector.input.pasteGapMs - clock.monotonic();
    if (rest > 0) await sleep(clock, rest);
    let last: Entered | undefined;
    for (let enters = 1; enters <= MOST_ENTERS; enters++) {
      const pressed = await this.#pressEnter();
      if ('ending' in pressed) return pressed.ending;
      last = pressed;
      const proof = await this.#prove(pressed.baseline, this.#swallowedMs());
      if (proof) return this.#proven(proof, pressed.before, enters);
      const sight = await tracker.look();
      if (!this.#mayEnter(sight) || sight.facts.busy.value === 'yes') {
        const late = await this.#prove(pressed.baseline, patience.proofMs);
        if (late) return this.#proven(late, pressed.before, enters);
        return touched('unconfirmed', this.#whatIsThere());
      }
      this.evidence.push(evidenceAt(clock, 'composer', { enter_swallowed: enters }));
    }
    return this.#giveUp(last!);
  }

  /** Every Enter was swallowed. What was taken back was not submitted, unless the last Enter was only slow. */
  async #giveUp({ baseline, before }: Entered): Promise<Ending> {
    const why = `Enter was swallowed ${MOST_ENTERS} times`;
    if (!(await takeBack(this.#sent.text, this.#on)))
      return touched('unconfirmed', `${why}; the text stands in the composer`);
    const late = await this.#prove(baseline, this.#swallowedMs());
    return late
      ? this.#proven(late, before, MOST_ENTERS)
      : touched('failed', `${why}; the text was taken back`);
  }

  /** Presses Enter in one step with the check that the composer holds our text and nothing asks anything. */
  async #pressEnter(): Promise<Entered | { ending: Ending }> {
    const { tracker, watch, patience, prompt, attemptFile } = this.#on;
    for (let tries = 0; tries < MOST_OVERTAKEN; tries++) {
      const sight = await tracker.look();
      if (!this.#mayEnter(sight)) {
        const cleared = await waitUntil(
          this.#on,
          (seen) => this.#mayEnter(seen) || undefined,
          patience.clearMs,
        );
        if (!cleared)
          return { ending: touched('unconfirmed', `Enter was not pressed: ${this.#whatIsThere()}`) };
        continue;
      }
      const baseline = baselineOf(sight, this.#sent, this.#sinceMs);
      keepAttempt(attemptFile, { request_id: prompt.requestId, step: 'entering', baseline });
      try {
        await watch.tmux.pressEnter(sight.view!.pane.id, { expect: sameAs(sight.view!) });
        crashPoint('lane.entered');
        return { baseline, before: sight.facts };
      } catch (error) {
        if (!nothingTyped(error))
          return { ending: touched('unconfirmed', `Enter may have been pressed: ${messageOf(error)}`) };
      }
    }
    return { ending: touched('unconfirmed', 'Enter was not pressed: the screen does not hold still') };
  }

  #mayEnter(sight: Sight): boolean {
    const { facts, foreground, people } = sight;
    if (foreground.kind !== 'tool' || facts.dialog.value || facts.menu.value) return false;
    if (facts.copy_mode || people.typing) return false;
    return isHeld(heldText(facts, this.#sent.text, this.#sent.detector.input));
  }

  /** With the tool's own word that it is idle, a swallowed Enter is told from a slow redraw much sooner. */
  #swallowedMs(): number {
    const { told, untold } = this.#on.patience.swallowedMs;
    const levels = this.#sent.signals
      .flatMap((signal) => signal.read())
      .filter(({ writerAlive }) => writerAlive);
    return levels.length > 0 ? told : untold;
  }

  async #prove(baseline: Baseline, timeoutMs: number): Promise<Evidence | undefined> {
    const proof = await waitUntil(
      this.#on,
      (sight) => proofOfSubmission(sight, baseline, this.#sent),
      timeoutMs,
    );
    return proof ?? turnBegan(this.#on.tracker.sight, baseline, this.#sent);
  }

  async #proven(proof: Evidence, before: Facts, enters: number): Promise<Ending> {
    const ms = Math.round(this.#on.clock.monotonic() - this.#pastedAtMs);
    const evidence = { ...proof, facts: { ...proof.facts, enters, ms } };
    this.evidence.push(evidence);
    this.#on.submitted(before);
    await this.#on.prompt.record('submitted', evidence);
    crashPoint('lane.submitted');
    return touched('submitted');
  }

  #whatIsThere(): string {
    const { facts, foreground, people } = this.#on.tracker.sight;
    if (foreground.kind !== 'tool') return `in the foreground is ${foreground.kind}, not the tool`;
    if (facts.dialog.value) return `a dialog (${facts.dialog.value.kind}) is open`;
    if (facts.menu.value) return `a ${facts.menu.value.kind} is open`;
    if (facts.copy_mode) return 'the pane is in copy mode';
    if (people.typing) return 'a person is typing';
    const held = heldText(facts, this.#sent.text, this.#sent.detector.input);
    if (held === 'empty') return 'the composer is empty and nothing shows that the prompt was taken';
    return held === 'other' ? 'the composer holds something else' : `the composer shows ${held}`;
  }

  #describe(): Record<string, unknown> {
    const { changes, text } = this.#prepared;
    return { bytes: Buffer.byteLength(text), ...(changes.length > 0 ? { changes } : {}) };
  }

  async #record(stage: 'typing' | 'typed', source: string, facts: Record<string, unknown>): Promise<void> {
    const evidence = evidenceAt(this.#on.clock, source, facts);
    this.evidence.push(evidence);
    await this.#on.prompt.record(stage, evidence);
  }
}

/** tmux refused, or there was no pane: it is certain that no byte went in. */
function nothingTyped(error: unknown): boolean {
  if (!isRouseError(error)) return false;
  const problem = tmuxProblemOf(error);
  return problem === 'refused' || problem === 'no_pane';
}
