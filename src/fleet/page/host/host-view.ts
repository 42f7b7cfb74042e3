import * as os from 'node:os';
import { type Emitter, messageOf, utcStamp } from '../../../base/index.ts';
import type { PageAgentRow, PageSnapshot } from '../../../wire/index.ts';
import { inOrder } from './agent-rows.ts';
import { HostPicture, type PictureParts } from './host-picture.ts';
import { HostWatch, type HostWatchParts } from './host-watch.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { ReceivedChanges, type Touched } from './received-changes.ts';
import { type ReportedChange, ReportedChanges } from './reported-changes.ts';

/** The pause after a look, as a multiple of its processor time. Changes in that time are reported together. */
const PAUSE = 4;
/** When to look again for what was written and is not visible yet. */
const SETTLE_MS = 20;

export interface HostViewParts extends PictureParts, Pick<HostWatchParts, 'onRequests'> {
  epoch: string;
}

/**
 * One numbered picture of the host for every page, and its changes: what is received is looked at or queried, and what
 * is seen is reported. Files are watched and the database is queried only while someone has the page open; a snapshot
 * without watchers is made on request. A change in one agent's files costs a look at that agent alone, and waits for no
 * database.
 */
export class HostView {
  readonly picture: HostPicture;
  readonly #parts: HostViewParts;
  readonly #received = new ReceivedChanges();
  readonly #watch: HostWatch;
  readonly #looks = new OneAtATime(
    () => this.#received.isUnseen,
    () => this.#look(),
  );
  /** Run independently of the looks. */
  readonly #questions = new OneAtATime(
    () => this.#received.isUnqueried,
    () => this.#ask(),
  );
  readonly #reported: ReportedChanges;
  #readers = 0;
  #cancelNext: (() => void) | undefined;
  #tookMs = 0;
  #closed = false;

  constructor(parts: HostViewParts) {
    this.#parts = parts;
    this.picture = new HostPicture(parts);
    this.#reported = new ReportedChanges(parts.clock);
    this.#watch = new HostWatch({
      ...parts,
      picture: this.picture,
      received: this.#received,
      soon: () => this.#soon(),
    });
  }

  get seq(): number {
    return this.#reported.seq;
  }

  get changed(): Emitter<number> {
    return this.#reported.changed;
  }

  /** The changes after this number; undefined if some of them are no longer kept. */
  since(seq: number): ReportedChange[] | undefined {
    return this.#reported.since(seq);
  }

  async snapshot(): Promise<Omit<PageSnapshot, 'muted'>> {
    if (this.#readers === 0) this.#received.ofOperator();
    const agents = await this.agents();
    const { needs, counts, troubles } = this.#reported.last;
    return {
      seq: this.seq,
      epoch: this.#parts.epoch,
      now_utc: utcStamp(this.#parts.clock.now()),
      host: os.hostname(),
      agents,
      needs_you: [...needs],
      counts,
      troubles,
    };
  }

  /** The rows as last seen; looks first if no one is watching. */
  async agents(): Promise<PageAgentRow[]> {
    if (this.#readers === 0) this.#received.ofHost();
    await this.#looks.run();
    await this.#questions.run();
    await this.#looks.run();
    return [...this.#reported.last.agents.values()].map(({ row }) => row).sort(inOrder);
  }

  /** Watches until the returned function is called. */
  attend(): () => void {
    if (this.#readers++ === 0) this.#start();
    let here = true;
    return () => {
      if (!here) return;
      here = false;
      if (--this.#readers === 0) this.#stop();
    };
  }

  /** Readers should load this part again, of one agent or (null) of none. */
  touch(agent: string | null, what: Touched['what'], id?: string): void {
    this.#received.ofDetail(agent, what);
    if (id !== undefined) this.#received.ofAgent(id);
    this.#soon();
  }

  close(): void {
    this.#closed = true;
    this.#stop();
  }

  #start(): void {
    this.#received.ofHost();
    this.#received.ofOperator();
    this.#watch.start();
    this.#soon();
  }

  #stop(): void {
    this.#cancelNext?.();
    this.#cancelNext = undefined;
    this.#watch.stop();
  }

  /** Looks at once if there was no look for a moment; otherwise together with the other changes of that moment. */
  #soon(): void {
    if (this.#cancelNext || this.#readers === 0 || this.#closed) return;
    // After everything received in this turn of the event loop: one write may be several changes.
    const next = setImmediate(() => void this.#next());
    this.#cancelNext = () => clearImmediate(next);
  }

  async #next(): Promise<void> {
    await this.#looks.run();
    if (this.#mayAsk()) void this.#questions.run().then(() => this.#soon());
    this.#cancelNext =
      this.#readers === 0
        ? undefined
        : this.#parts.clock.after(PAUSE * this.#tookMs, () => {
            this.#cancelNext = undefined;
            if (this.#received.isUnseen || this.#mayAsk()) this.#soon();
          });
  }

  /** One query at a time; the next waits for its result. */
  #mayAsk(): boolean {
    return this.#received.isUnqueried && !this.#questions.isUnderWay;
  }

  async #ask(): Promise<void> {
    const { fleet, operator } = this.#received.takeUnqueried();
    if (fleet) await this.picture.readFleet();
    if (operator) await this.picture.readOperator();
    this.#received.ofAll();
  }

  async #look(): Promise<void> {
    const { host, all, agents, touched } = this.#received.takeUnseen();
    try {
      if (host) await this.#lookAtHost();
      const began = this.#parts.clock.monotonic();
      this.picture.readAgents(agents);
      const now = this.picture.look(host || all ? undefined : agents);
      this.#reported.report(now, [...touched, ...this.picture.takeCommitted().flatMap(ofLedger)]);
      this.#lookAgain(this.picture.takeUnsettled());
      this.#tookMs = this.#parts.clock.monotonic() - began;
    } catch (error) {
      this.#parts.log.warn('the agents of the host cannot be read', { cause: messageOf(error) });
    }
  }

  #lookAgain(agents: readonly string[]): void {
    if (agents.length === 0 || this.#readers === 0) return;
    this.#parts.clock.after(SETTLE_MS, () => {
      for (const id of agents) this.#received.ofAgent(id);
      this.#soon();
    });
  }

  async #lookAtHost(): Promise<void> {
    // Agents that come or go here change in the registry too.
    this.#received.ofFleet();
    try {
      await this.picture.readHost();
    } catch (error) {
      this.#parts.log.warn('the host cannot be read', { cause: messageOf(error) });
    }
    if (this.#readers > 0) this.#watch.follow();
  }
}

const ofLedger = (agent: string): Touched[] => [
  { agent, what: 'queue' },
  { agent, what: 'timeline' },
];
