import * as fs from 'node:fs';
import * as path from 'node:path';
import { currentTenant, runOutsideTenants } from '../base/index.ts';
import { gatewayFiles, type HostAnswer, type HostRequest } from '../wire/index.ts';
import type { HostedStart, HostJournal } from './host-journal.ts';
import { type Before, HostedGateway, type Hosting } from './hosted-gateway.ts';
import { HostedNotices } from './hosted-notices.ts';

/** Gateways resumed at a time: each opens files and calls tmux. */
const MAX_AT_ONCE = 6;
/** A suspect is tried at least this often. */
const MAX_HOLD_MS = 3_600_000;

/** The gateways of one host, and the notices of its home. */
export class Host {
  readonly #hosting: Hosting;
  readonly #journal: HostJournal;
  readonly #stop: (handOver: boolean) => void;
  readonly #held = new Map<string, HostedGateway>();
  readonly #emptied: () => void;
  readonly #notices: HostedNotices;

  constructor(options: {
    hosting: Hosting;
    notices: HostedNotices;
    journal: HostJournal;
    emptied: () => void;
    stop: (handOver: boolean) => void;
  }) {
    this.#hosting = options.hosting;
    this.#journal = options.journal;
    this.#emptied = options.emptied;
    this.#stop = options.stop;
    this.#notices = options.notices;
  }

  get size(): number {
    return this.#held.size;
  }

  get isEmpty(): boolean {
    return this.#held.size === 0 && !this.#notices.isNeeded;
  }

  /** Starts everything that an earlier host held when it was killed. */
  async resume(exitCode: number | null, isLetGo: (start: HostedStart) => boolean): Promise<void> {
    const left = this.#journal.held.filter((start) => {
      if (!isLetGo(start)) return true;
      this.#journal.ended(start.root);
      return false;
    });
    const gateways = left.map((start) => this.#take(start, { restarts: this.#restartsOf(start), exitCode }));
    const trusted = gateways.filter((one) => this.#suspicions(one) === 0);
    const suspects = gateways.filter((one) => this.#suspicions(one) > 0);
    const next = async (): Promise<void> => {
      for (let one = trusted.shift(); one; one = trusted.shift()) await one.begin({ again: true });
    };
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, next));
    // Not awaited: in the meantime the host serves requests.
    void this.#resumeSuspects(suspects.sort((a, b) => this.#suspicions(a) - this.#suspicions(b)));
  }

  /** Gateways that may have ended an earlier host: last and one at a time; repeat suspects alone, after ever longer waits. */
  async #resumeSuspects(suspects: HostedGateway[]): Promise<void> {
    const { restarts, firstPauseMs } = this.#hosting;
    for (const one of suspects) {
      const times = this.#suspicions(one);
      const often = times >= restarts;
      if (often) await one.holdBack(Math.min(MAX_HOLD_MS, firstPauseMs * 2 ** Math.min(times, 20)));
      if (one.isEnding || this.#held.get(one.started.root) !== one) continue;
      await one.begin({ again: true });
      if (often) await one.settled();
    }
  }

  #suspicions({ started }: HostedGateway): number {
    return this.#journal.suspicions(started.root);
  }

  answer = async (request: HostRequest): Promise<HostAnswer> => {
    switch (request.do) {
      case 'start':
        return this.#start(request);
      case 'end': {
        const held = this.#held.get(request.root);
        await held?.end(request.hand_over, request.hand_over ? 'restart' : 'SIGTERM');
        return this.#reply(held !== undefined);
      }
      case 'status':
        return this.#reply(false);
      case 'notices':
        await (request.leave ? this.#notices.stop() : this.#notices.lookAgain());
        if (this.isEmpty) this.#emptied();
        return this.#reply(false);
      case 'stop':
        this.#stop(request.hand_over === true);
        return this.#reply(false);
      default:
        return { ok: false, message: 'unknown request' };
    }
  };

  async endAll(handOver: boolean): Promise<void> {
    const reason = handOver ? 'restart' : 'SIGTERM';
    const gateways = [...this.#held.values()].map((gateway) => gateway.end(handOver, reason));
    await Promise.all([...gateways, this.#notices.stop()]);
  }

  /** Blames the gateway, or the notices, in whose name the code ran. False when none is to blame. */
  blame(error: unknown): boolean {
    const tenant = currentTenant();
    if (!(tenant instanceof HostedGateway || tenant instanceof HostedNotices)) return false;
    runOutsideTenants(() => void tenant.broke(error));
    return true;
  }

  async #start({ root, words, env }: HostedStart): Promise<HostAnswer> {
    if (!path.isAbsolute(root))
      return { ok: false, message: 'the gateway directory must be an absolute path' };
    const before = this.#held.get(root);
    if (before && before.view.state !== 'running') await before.end(true, 'restart');
    else if (before) return { ok: false, message: 'a gateway is already running for this session' };
    const start = { root, words, env };
    fs.rmSync(gatewayFiles(root).letGo, { force: true });
    this.#journal.started(start);
    void this.#take(start, { restarts: 0, exitCode: null }).begin({ again: false });
    return this.#reply(true);
  }

  #take(start: HostedStart, before: Before): HostedGateway {
    const gateway: HostedGateway = new HostedGateway(start, this.#hosting, before, {
      taking: () => this.#journal.taking(start.root),
      settled: () => this.#journal.settled(start.root),
      gone: () => {
        if (this.#held.get(start.root) !== gateway) return;
        this.#held.delete(start.root);
        this.#journal.ended(start.root);
        if (this.isEmpty) this.#emptied();
      },
    });
    this.#held.set(start.root, gateway);
    return gateway;
  }

  /** Its own restarts, and those of the host since its keeper file was written. */
  #restartsOf({ root }: HostedStart): number {
    const { hostRestarts } = this.#hosting;
    try {
      const kept = JSON.parse(fs.readFileSync(gatewayFiles(root).keeper, 'utf8')) as Record<string, number>;
      return kept['restarts']! + hostRestarts - kept['host_restarts']! || hostRestarts;
    } catch {
      return hostRestarts;
    }
  }

  #reply(held: boolean): HostAnswer {
    const gateways = [...this.#held.values()].map(({ view }) => view);
    return { ok: true, held, pid: process.pid, gateways };
  }
}
