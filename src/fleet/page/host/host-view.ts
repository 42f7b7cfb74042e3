import * as os from 'node:os';
import { type Emitter, messageOf, utcStamp } from '../../../base/index.ts';
import type { PageAgentRow, PageSnapshot } from '../../../wire/index.ts';
import { inOrder } from './agent-rows.ts';
import { HeardChanges, type Touched } from './heard-changes.ts';
import { HostPicture, type PictureParts } from './host-picture.ts';
import { HostWatch, type HostWatchParts } from './host-watch.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { type ToldChange, ToldChanges } from './told-changes.ts';

/** After a look, so many times as long as it kept the processor passes before the next: what happens meanwhile is told together. */
const PAUSE = 4;
/** What was written and cannot be seen yet is looked for again so soon. */
const SETTLE_MS = 20;

export interface HostViewParts extends PictureParts, Pick<HostWatchParts, 'onRequests'> {
  epoch: string;
}

/**
 * One picture of the host for every page, numbered, and its changes: what is heard is looked at or asked for, and what is
 * seen is told. Files are watched and the database is asked only while somebody looks; a snapshot that nobody watches is made
 * when it is asked for. A change of one agent's files costs a look at that agent alone, and waits for no database.
 */
export class HostView {
  readonly picture: HostPicture;
  readonly #on: HostViewParts;
  readonly #heard = new HeardChanges();
  readonly #watch: HostWatch;
  readonly #looks = new OneAtATime(
    () => this.#heard.isUnseen,
    () => this.#look(),
  );
  /** Beside the looks. */
  readonly #questions = new OneAtATime(
    () => this.#heard.isUnasked,
    () => this.#ask(),
  );
  readonly #told: ToldChanges;
  #readers = 0;
  #cancelNext: (() => void) | undefined;
  #tookMs = 0;
  #closed = false;

  constructor(parts: HostViewParts) {
    this.#on = parts;
    this.picture = new HostPicture(parts);
    this.#told = new ToldChanges(parts.clock);
    this.#watch = new HostWatch({
      ...parts,
      picture: this.picture,
      heard: this.#heard,
      soon: () => this.#soon(),
    });
  }

  get seq(): number {
    return this.#told.seq;
  }

  get changed(): Emitter<number> {
    return this.#told.changed;
  }

  /** The changes after this number; undefined when some of them are no longer kept. */
  since(seq: number): ToldChange[] | undefined {
    return this.#told.since(seq);
  }

  async snapshot(): Promise<PageSnapshot> {
    if (this.#readers === 0) this.#heard.ofOperator();
    const agents = await this.agents();
    const { needs, counts, troubles } = this.#told.last;
    return {
      seq: this.seq,
      epoch: this.#on.epoch,
      now_utc: utcStamp(this.#on.clock.now()),
      host: os.hostname(),
      agents,
      needs_you: [...needs],
      counts,
      troubles,
    };
  }

  /** The rows as they were last looked at; looks when nobody has. */
  async agents(): Promise<PageAgentRow[]> {
    if (this.#readers === 0) this.#heard.ofHost();
    await this.#looks.run();
    await this.#questions.run();
    await this.#looks.run();
    return [...this.#told.last.agents.values()].map(({ row }) => row).sort(inOrder);
  }

  /** Watches until the function that this answers with is called. */
  attend(): () => void {
    if (this.#readers++ === 0) this.#start();
    let here = true;
    return () => {
      if (!here) return;
      here = false;
      if (--this.#readers === 0) this.#stop();
    };
  }

  /** Something of an agent, or of nobody's, is worth asking for again. */
  touch(agent: string | null, what: Touched['what'], id?: string): void {
    this.#heard.ofDetail(agent, what);
    if (id !== undefined) this.#heard.ofAgent(id);
    this.#soon();
  }

  close(): void {
    this.#closed = true;
    this.#stop();
  }

  #start(): void {
    this.#heard.ofHost();
    this.#heard.ofOperator();
    this.#watch.start();
    this.#soon();
  }

  #stop(): void {
    this.#cancelNext?.();
    this.#cancelNext = undefined;
    this.#watch.stop();
  }

  /** At once when nothing was looked at for a moment; otherwise together with what else happens in it. */
  #soon(): void {
    if (this.#cancelNext || this.#readers === 0 || this.#closed) return;
    // After all that is heard in this turn: one write may be several changes.
    const next = setImmediate(() => void this.#next());
    this.#cancelNext = () => clearImmediate(next);
  }

  async #next(): Promise<void> {
    await this.#looks.run();
    if (this.#mayAsk()) void this.#questions.run().then(() => this.#soon());
    this.#cancelNext =
      this.#readers === 0
        ? undefined
        : this.#on.clock.after(PAUSE * this.#tookMs, () => {
            this.#cancelNext = undefined;
            if (this.#heard.isUnseen || this.#mayAsk()) this.#soon();
          });
  }

  /** While an answer is awaited, the next question waits for it. */
  #mayAsk(): boolean {
    return this.#heard.isUnasked && !this.#questions.isUnderWay;
  }

  async #ask(): Promise<void> {
    const { fleet, operator } = this.#heard.takeUnasked();
    if (fleet) await this.picture.readFleet();
    if (operator) await this.picture.readOperator();
    this.#heard.ofAll();
  }

  async #look(): Promise<void> {
    const { host, all, agents, touched } = this.#heard.takeUnseen();
    try {
      if (host) await this.#lookAtHost();
      const began = this.#on.clock.monotonic();
      this.picture.readAgents(agents);
      const now = this.picture.look(host || all ? undefined : agents);
      this.#told.tell(now, [...touched, ...this.picture.takeCommitted().flatMap(ofLedger)]);
      this.#lookAgain(this.picture.takeUnsettled());
      this.#tookMs = this.#on.clock.monotonic() - began;
    } catch (error) {
      this.#on.log.warn('the agents of the host cannot be looked at', { cause: messageOf(error) });
    }
  }

  #lookAgain(agents: readonly string[]): void {
    if (agents.length === 0 || this.#readers === 0) return;
    this.#on.clock.after(SETTLE_MS, () => {
      for (const id of agents) this.#heard.ofAgent(id);
      this.#soon();
    });
  }

  async #lookAtHost(): Promise<void> {
    // Who comes or goes here does so in the registry too.
    this.#heard.ofFleet();
    try {
      await this.picture.readHost();
    } catch (error) {
      this.#on.log.warn('the host cannot be looked at', { cause: messageOf(error) });
    }
    if (this.#readers > 0) this.#watch.follow();
  }
}

const ofLedger = (agent: string): Touched[] => [
  { agent, what: 'queue' },
  { agent, what: 'timeline' },
];
