import { Emitter } from '../base/index.ts';
import { readReason, type Why } from '../domain/index.ts';
import type {
  AgentSurface,
  DeliveryOutcome,
  DeliveryResult,
  Evidence,
  Hold,
  InterruptedDelivery,
  KeyDelivery,
  Observation,
  PromptDelivery,
  Recovered,
  Stage,
} from './port.ts';

const READY: Observation = {
  observedAtUtc: '2026-01-01T00:00:00.000Z',
  connectivity: 'connected',
  unavailableReason: null,
  sessionLost: false,
  instanceId: 'fake-1',
  eligibility: 'ready',
  ready: true,
  reasons: [],
  busy: false,
};

/** Reasons may also be the text in which they leave a process. */
export type Shown = Omit<Partial<Observation>, 'reasons'> & { reasons?: readonly Why[] };

/** A surface in memory, for tests of the rooms above it. It accepts what the test requests and remembers it. */
export class FakeSurface implements AgentSurface {
  readonly kind: AgentSurface['kind'] = 'tui';
  readonly changed = new Emitter<Observation>();
  /** Everything submitted, in order. */
  readonly submitted: string[] = [];
  readonly keys: string[] = [];
  interrupts = 0;
  /** The source of all evidence. */
  provenBy = 'fake';
  /** The evidence of an interrupt. */
  interrupted: Evidence[] = [];
  /** Reports a stage of the last submitted prompt's turn, as a real surface does. */
  reportStage: (stage: Stage) => Promise<void> = async () => {};
  /** The outcomes of the next deliveries; `submitted` when the list is empty. */
  outcomes: DeliveryOutcome[] = [];
  verdict: Recovered['verdict'] = 'unknown';
  /** If set, a delivery waits here after it began. */
  hold: Promise<void> | undefined;
  /** A person's pause of the agent. */
  heldBy: Hold | undefined;
  /** Runs after a delivery began, before its reason is checked again. */
  onDeliver: (() => Promise<void>) | undefined;
  #observation: Observation = READY;

  observation(): Observation {
    return this.#observation;
  }

  show({ reasons, ...change }: Shown): void {
    const read = reasons?.map((each) => (typeof each === 'string' ? readReason(each) : each));
    this.#observation = { ...this.#observation, ...change, ...(read && { reasons: read }) };
    this.changed.emit(this.#observation);
  }

  async deliver(prompt: PromptDelivery): Promise<DeliveryResult> {
    const { ready, reasons } = this.#observation;
    if (!ready && prompt.policy === 'ready_only')
      return { outcome: 'not_ready', reasons, evidence: [], untouched: true };
    await this.onDeliver?.();
    const held = prompt.automatic ? this.heldBy?.reason() : undefined;
    if (held !== undefined) return { outcome: 'not_ready', reasons: [held], evidence: [], untouched: true };
    const again = await prompt.recheck?.();
    if (again && !again.go)
      return { outcome: 'superseded', reasons: [again.reason], evidence: [], untouched: true };
    const outcome = this.outcomes.shift() ?? 'submitted';
    await prompt.record('typing', this.#evidence());
    await this.hold;
    if (outcome !== 'submitted')
      return { outcome, reasons: [`the test requested ${outcome}`], evidence: [], untouched: false };
    await prompt.record('typed', this.#evidence());
    this.submitted.push(prompt.text);
    await prompt.record('submitted', this.#evidence());
    this.reportStage = (stage) => prompt.record(stage, this.#evidence());
    return { outcome, reasons: [], evidence: [this.#evidence()], untouched: false };
  }

  async sendKeys({ sequence, automatic }: KeyDelivery): Promise<DeliveryResult> {
    const held = automatic ? this.heldBy?.reason() : undefined;
    if (held !== undefined) return { outcome: 'not_ready', reasons: [held], evidence: [], untouched: true };
    this.keys.push(sequence);
    return { outcome: 'submitted', reasons: [], evidence: [], untouched: false };
  }

  async interrupt(): Promise<DeliveryResult> {
    this.interrupts++;
    return { outcome: 'submitted', reasons: [], evidence: this.interrupted, untouched: false };
  }

  async recover(_interrupted: InterruptedDelivery): Promise<Recovered> {
    return { verdict: this.verdict, evidence: [this.#evidence()] };
  }

  async start(): Promise<void> {}
  async close(): Promise<void> {}

  #evidence(): Evidence {
    return { source: this.provenBy, atUtc: this.#observation.observedAtUtc, facts: {} };
  }
}
