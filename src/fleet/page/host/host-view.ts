import * as os from 'node:os';
import { Emitter, isProcessAlive, messageOf, utcStamp } from '../../../base/index.ts';
import { OPERATOR } from '../../../domain/index.ts';
import { inboxDirectory } from '../../../mail/inbox-count.ts';
import { agentsDirectory } from '../../../session/index.ts';
import type { PageAgentRow, PageChange, PageSnapshot } from '../../../wire/index.ts';
import { inOrder } from './agent-rows.ts';
import { DirectoryWatches } from './directory-watches.ts';
import { HostPicture, type Picture, type PictureParts } from './host-picture.ts';

/** After a look, so many times as long as it kept the processor passes before the next: what happens meanwhile is told together. */
const PAUSE = 4;
/** What is killed changes no file, and some things are told by their age: while somebody looks, this often. */
const SAFETY_MS = 3000;
/** Agents of other hosts change nothing here that is heard: the database is asked for them at each so many of those. */
const ELSEWHERE_EACH = 2;
/** Changes that are kept for a reader who comes back. */
const KEPT = 500;

type Touched = NonNullable<PageChange['touched']>[number];

/** A change as it is sent, put into words once for every reader. */
export interface ToldChange {
  seq: number;
  text: string;
}

export interface HostViewParts extends PictureParts {
  epoch: string;
  /** Called for each change of a request, until the function it resolves to is called. */
  onRequests: (hear: () => void) => Promise<() => Promise<void>>;
}

/**
 * One picture of the host for every page, numbered, and its changes. Files are watched and the database is asked only while
 * somebody looks; a snapshot that nobody watches is made when it is asked for. A change of one agent's files costs a look at
 * that agent alone, and waits for no database.
 */
export class HostView {
  readonly changed = new Emitter<number>();
  readonly #on: HostViewParts;
  readonly #picture: HostPicture;
  readonly #watches = new DirectoryWatches();
  readonly #changes: ToldChange[] = [];
  /** What has to be looked at again; `all`: every agent, as far as it changed. */
  readonly #dirty = { host: true, all: true, agents: new Set<string>() };
  /** What has to be asked again, of the database and of the operator's mailbox. */
  readonly #unasked = { fleet: true, operator: true };
  readonly #touched = new Map<string, Touched>();
  #seq: number;
  #last: Picture = { agents: new Map(), needs: [], counts: NO_COUNTS, troubles: [] };
  #readers = 0;
  #looking: Promise<void> | undefined;
  #asking: Promise<void> | undefined;
  #cancelNext: (() => void) | undefined;
  #cancelSafety: (() => void) | undefined;
  #stopRequests: Promise<() => Promise<void>> | undefined;
  #processes = '';
  #tookMs = 0;
  #closed = false;

  constructor(parts: HostViewParts) {
    this.#on = parts;
    this.#picture = new HostPicture(parts);
    // Numbers of an earlier process are smaller, so that whoever brings one is told to begin anew.
    this.#seq = parts.clock.now().getTime() * 1000;
  }

  get seq(): number {
    return this.#seq;
  }

  async snapshot(): Promise<PageSnapshot> {
    if (this.#readers === 0) this.#unasked.operator = true;
    const agents = await this.agents();
    const { needs, counts, troubles } = this.#last;
    return {
      seq: this.#seq,
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
    if (this.#readers === 0) this.#dirty.host = true;
    await this.#look();
    await this.#ask();
    await this.#look();
    return [...this.#last.agents.values()].map(({ row }) => row).sort(inOrder);
  }

  get picture(): HostPicture {
    return this.#picture;
  }

  /** The changes after this number; undefined when some of them are no longer kept. */
  since(seq: number): ToldChange[] | undefined {
    if (seq > this.#seq) return undefined;
    if (seq === this.#seq) return [];
    const first = this.#changes[0];
    return first && seq >= first.seq - 1 ? this.#changes.filter((each) => each.seq > seq) : undefined;
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
    this.#touched.set(`${agent} ${what}`, { agent, what });
    if (id !== undefined) this.#dirty.agents.add(id);
    if (what === 'requests') this.#unasked.fleet = true;
    this.#soon();
  }

  close(): void {
    this.#closed = true;
    this.#stop();
  }

  #start(): void {
    this.#dirty.host = this.#unasked.operator = true;
    this.#stopRequests = this.#on.onRequests(() => this.touch(null, 'requests'));
    this.#stopRequests.catch((error: unknown) =>
      this.#on.log.warn('changes of requests are not heard', { cause: messageOf(error) }),
    );
    this.#guard();
    this.#soon();
  }

  #stop(): void {
    this.#cancelNext?.();
    this.#cancelSafety?.();
    this.#cancelNext = this.#cancelSafety = undefined;
    this.#watches.close();
    void this.#stopRequests?.then((stop) => stop()).catch(() => {});
    this.#stopRequests = undefined;
  }

  #guard(round = 1): void {
    this.#cancelSafety = this.#on.clock.after(SAFETY_MS, () => {
      const alive = this.#alive();
      if (alive !== this.#processes || !this.#watches.covers(this.#directories().keys()))
        this.#dirty.host = true;
      this.#dirty.all = true;
      if (round % ELSEWHERE_EACH === 0) this.#unasked.fleet = true;
      this.#soon();
      this.#guard(round + 1);
    });
  }

  #alive(): string {
    return this.#picture.roster.processes.map((each) => (isProcessAlive(each) ? '1' : '0')).join('');
  }

  /** At once when nothing was looked at for a moment; otherwise together with what else happens in it. */
  #soon(): void {
    if (this.#cancelNext || this.#readers === 0 || this.#closed) return;
    // After all that is heard in this turn: one write may be several changes.
    const next = setImmediate(() => void this.#next());
    this.#cancelNext = () => clearImmediate(next);
  }

  async #next(): Promise<void> {
    await this.#look();
    if (this.#mayAsk()) void this.#ask().then(() => this.#soon());
    this.#cancelNext =
      this.#readers === 0
        ? undefined
        : this.#on.clock.after(PAUSE * this.#tookMs, () => {
            this.#cancelNext = undefined;
            if (this.#isDirty() || this.#mayAsk()) this.#soon();
          });
  }

  #isDirty(): boolean {
    const { host, all, agents } = this.#dirty;
    return host || all || agents.size > 0 || this.#touched.size > 0;
  }

  #isUnasked(): boolean {
    return this.#unasked.fleet || this.#unasked.operator;
  }

  /** While an answer is awaited, the next question waits for it. */
  #mayAsk(): boolean {
    return this.#isUnasked() && !this.#asking;
  }

  /** One at a time; whoever comes while one is under way waits for one that began later. */
  async #look(): Promise<void> {
    await this.#looking;
    if (!this.#isDirty()) return;
    this.#looking ??= this.#pass()
      .catch((error: unknown) =>
        this.#on.log.warn('the agents of the host cannot be looked at', { cause: messageOf(error) }),
      )
      .finally(() => {
        this.#looking = undefined;
      });
    await this.#looking;
  }

  /** Beside the looks, one at a time as they are. */
  async #ask(): Promise<void> {
    await this.#asking;
    if (!this.#isUnasked()) return;
    this.#asking ??= this.#askAnew().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  async #askAnew(): Promise<void> {
    const { fleet, operator } = this.#unasked;
    this.#unasked.fleet = this.#unasked.operator = false;
    if (fleet) await this.#picture.readFleet();
    if (operator) await this.#picture.readOperator();
    this.#dirty.all = true;
  }

  async #pass(): Promise<void> {
    const { host, all } = this.#dirty;
    const agents = new Set(this.#dirty.agents);
    const touched = [...this.#touched.values()];
    this.#dirty.host = this.#dirty.all = false;
    this.#dirty.agents.clear();
    this.#touched.clear();
    if (host) await this.#readHost();
    const began = this.#on.clock.monotonic();
    this.#picture.readAgents(agents);
    this.#tell(this.#picture.look(host || all ? undefined : agents), touched);
    this.#tookMs = this.#on.clock.monotonic() - began;
  }

  async #readHost(): Promise<void> {
    // Who comes or goes here does so in the registry too.
    this.#unasked.fleet = true;
    try {
      await this.#picture.readHost();
    } catch (error) {
      this.#on.log.warn('the host cannot be looked at', { cause: messageOf(error) });
    }
    if (this.#readers === 0) return;
    // Once more: what changed between the look and the watch was heard by nobody.
    if (this.#watches.set(this.#directories())) this.#picture.readAgents(this.#picture.roster.known.keys());
    this.#processes = this.#alive();
  }

  #tell(now: Picture, touched: Touched[]): void {
    const before = this.#last;
    this.#last = now;
    const agents = [...now.agents]
      .filter(([id, { signature }]) => before.agents.get(id)?.signature !== signature)
      .map(([, { row }]) => row);
    const removed = [...before.agents.keys()].filter((id) => !now.agents.has(id));
    const needs = now.needs !== before.needs && JSON.stringify(now.needs) !== JSON.stringify(before.needs);
    const counts = JSON.stringify(now.counts) !== JSON.stringify(before.counts);
    if (agents.length + removed.length + touched.length === 0 && !needs && !counts) return;
    const change: PageChange = {
      seq: ++this.#seq,
      now_utc: utcStamp(this.#on.clock.now()),
      ...(agents.length > 0 && { agents }),
      ...(removed.length > 0 && { removed }),
      ...(needs && { needs_you: [...now.needs] }),
      ...(counts && { counts: now.counts }),
      ...(touched.length > 0 && { touched }),
    };
    this.#changes.push({ seq: change.seq, text: JSON.stringify(change) });
    if (this.#changes.length > KEPT) this.#changes.shift();
    this.changed.emit(this.#seq);
  }

  /** What to watch, and what a change there means. */
  #directories(): Map<string, (file: string) => void> {
    const { session } = this.#on;
    const wanted = new Map<string, (file: string) => void>();
    if (!session) return wanted;
    const { registryDir, mailboxDir } = session.settings;
    const anew = (): void => {
      this.#dirty.host = true;
      this.#soon();
    };
    wanted.set(agentsDirectory(registryDir), anew);
    const operator = inboxDirectory({
      transport: 'filesystem',
      filesystem_root: mailboxDir,
      address: OPERATOR.address,
    });
    wanted.set(operator!, () => {
      this.#unasked.operator = true;
      this.touch(null, 'mail');
    });
    for (const { id, name } of this.#picture.here) {
      const place = this.#picture.roster.known.get(id);
      const paths = place && this.#picture.pathsOf(place);
      if (!paths) continue;
      const { gateway, run } = paths;
      wanted.set(gateway, (file) => this.#heard(id, name, file));
      wanted.set(run, anew);
      const inbox = inboxDirectory(place.mailbox);
      if (inbox) wanted.set(inbox, () => this.touch(name, 'mail', id));
    }
    return wanted;
  }

  #heard(id: string, name: string, file: string): void {
    this.#dirty.agents.add(id);
    if (file.startsWith('queue.sqlite')) {
      this.touch(name, 'queue');
      this.touch(name, 'timeline');
    } else if (file.startsWith('events.jsonl')) {
      this.touch(name, 'timeline');
      this.touch(name, 'reminders');
    } else this.#soon();
  }
}

const NO_COUNTS = {
  agents: 0,
  working: 0,
  idle: 0,
  waiting: 0,
  needs_you: 0,
  gone: 0,
  elsewhere: 0,
  unread_operator: 0,
  requests_for_me: 0,
  requests_open: 0,
};
