import { isRouseError, type Log, Loop, type NextPass, newUuid, VERSION } from '../../base/index.ts';
import { FleetClient, type HostIdentity } from '../../client/index.ts';
import type { Sqlite } from '../../db/index.ts';
import { HEARTBEAT } from '../../domain/index.ts';
import type {
  DeliveryAck,
  FleetConnection,
  HandedCall,
  HeartbeatAnswer,
  HeartbeatInput,
} from '../../wire/index.ts';
import type { ControlDependencies } from '../control/index.ts';
import { answerCall, type CallDependencies } from './answer-call.ts';
import { Connection } from './connection.ts';
import { FleetStore } from './fleet-store.ts';
import type { Membership } from './membership.ts';
import { takeMessage } from './take-message.ts';
import { TurnReports } from './turn-reports.ts';

export interface FleetLinkDependencies extends ControlDependencies {
  db: Sqlite;
  log: Log;
  membership: Membership;
  /** Reads the files again: the session may have been registered again. */
  readMembership: () => Membership | undefined;
  changed: () => void;
  fleetHost?: HostIdentity | undefined;
  /** The server may have new mail, or may accept mail again. */
  mailChanged: () => void;
  /** For calls by people of other hosts; undefined: they are not served. */
  calls?: Omit<CallDependencies, 'clock' | 'log'> | undefined;
  waitSeconds?: number;
  random?: () => number;
}

const MAX_ACKS = 100;
const RESPONSE_MS = 10_000;
const LEAVE_MS = 1500;

/**
 * The gateway's connection to the fleet server. One heartbeat is always held open, so that a message arrives as soon as it
 * is sent. A second, short one is sent the moment the agent begins or stops working, or a message is stored. The gateway
 * works without any of this: if the server is away it continues, and retries with growing pauses.
 */
export class FleetLink {
  readonly loops: readonly [Loop, Loop];
  #deps: FleetLinkDependencies;
  #store: FleetStore;
  #turns: TurnReports;
  #connection: Connection;
  #member: Membership;
  #client: FleetClient;
  #instanceId = newUuid();
  #beats = 0;
  #startedAt: number;
  #acks: DeliveryAck[] = [];
  /** The last state that the server has, as text; a difference is reported. */
  #reportedState = '';
  /** The last known version of the mailbox on the server; undefined: mail is not watched there. */
  #mailVersion: string | undefined;
  /** A server of an older version refuses a heartbeat that reports a pause. */
  #reportsPause = true;
  /** Ends the held heartbeat, so that the next one asks for mail too. */
  #renewBeat = new AbortController();

  constructor(deps: FleetLinkDependencies) {
    this.#deps = deps;
    this.#store = new FleetStore(deps.db);
    this.#turns = new TurnReports({ ...deps, epoch: deps.presence.epoch, later: () => this.hint() });
    this.#connection = new Connection(deps, deps.membership);
    this.#member = deps.membership;
    this.#client = new FleetClient(deps.membership);
    this.#startedAt = deps.clock.monotonic();
    const { clock } = deps;
    this.loops = [
      new Loop({ name: 'fleet', clock, pass: (signal) => this.#holdBeat(signal) }),
      new Loop({ name: 'fleet-report', clock, pass: (signal) => this.#report(signal) }),
    ];
  }

  get view(): FleetConnection {
    return this.#connection.view;
  }

  /** Something may have changed: the report loop checks. Nothing is sent if nothing has. */
  hint(): void {
    this.loops[1].wake();
  }

  watchMail(): void {
    if (this.#mailVersion !== undefined) return;
    this.#mailVersion = '';
    this.#renewBeat.abort();
  }

  /** The session was registered again: there may be another token. */
  registered(): void {
    this.loops[0].wake();
  }

  /** Reports that this gateway leaves, so that the server need not wait for a timeout. Call it when the loops have stopped. */
  async leave(): Promise<void> {
    if (this.#connection.view.state !== 'connected') return;
    await this.#send({ leaving: true }, { timeoutMs: LEAVE_MS }).catch(() => {});
  }

  async #holdBeat(signal: AbortSignal): Promise<NextPass> {
    if (!this.#rejoin() && this.#connection.pause > 0) return this.#connection.pause;
    // The first heartbeat is not held, so that it is known at once whether the server accepts this agent.
    const wait = this.view.state === 'connected' ? (this.#deps.waitSeconds ?? HEARTBEAT.held) : 0;
    this.#renewBeat = new AbortController();
    const mail = this.#mailVersion === undefined ? {} : { mail_version: this.#mailVersion };
    const answer = await this.#beat(
      { wait_seconds: wait, ...mail },
      { signal: AbortSignal.any([signal, this.#renewBeat.signal]), timeoutMs: wait * 1000 + RESPONSE_MS },
    );
    if (typeof answer === 'number') return answer;
    if (answer === undefined) return signal.aborted ? 'idle' : 0;
    this.#noteMailVersion(answer.mail_version);
    // A server that neither holds the heartbeat nor names a pause must not be asked without one.
    return wait === 0 || answer.messages.length + (answer.calls ?? []).length > 0
      ? 0
      : Math.max(answer.next_heartbeat_seconds * 1000, 100);
  }

  async #report(signal: AbortSignal): Promise<NextPass> {
    this.#turns.follow(this.#store.unreported().outcomes);
    this.#turns.look();
    if (this.#connection.view.state !== 'connected' || !this.#hasNews()) return 'idle';
    const answer = await this.#beat({}, { signal, timeoutMs: RESPONSE_MS });
    if (typeof answer === 'number') return answer;
    return this.#hasNews() ? 0 : 'idle';
  }

  /** Returns the response, with its messages already queued; after a failure the pause in ms; undefined when stopping. */
  async #beat(
    more: Partial<HeartbeatInput>,
    options: { signal: AbortSignal; timeoutMs: number },
  ): Promise<HeartbeatAnswer | number | undefined> {
    let answer: HeartbeatAnswer;
    try {
      answer = await this.#send(more, options);
    } catch (error) {
      if (options.signal.aborted) return undefined;
      if (this.#reportsPause && this.#state().paused && isRouseError(error) && error.code === 'invalid') {
        this.#reportsPause = false;
        return 0;
      }
      return this.#connection.failed(error);
    }
    if (this.#connection.succeeded()) this.#deps.mailChanged();
    for (const message of answer.messages) this.#acks.push(await takeMessage(message, this.#deps));
    this.#answerCalls(answer.calls ?? []);
    if (this.#hasNews()) this.loops[1].wake();
    return answer;
  }

  /** Not awaited: a call may take long, and heartbeats must go on. */
  #answerCalls(calls: readonly HandedCall[]): void {
    const { calls: doing, clock, log } = this.#deps;
    if (doing) for (const call of calls) void answerCall({ ...doing, clock, log }, call, this.#client);
  }

  async #send(
    more: Partial<HeartbeatInput>,
    options: { signal?: AbortSignal; timeoutMs: number },
  ): Promise<HeartbeatAnswer> {
    const state = this.#state();
    const acks = this.#acks.slice(0, MAX_ACKS);
    const { outcomes, upTo } = this.#store.unreported();
    this.#turns.follow(outcomes);
    this.#turns.look();
    const turns = this.#turns.unreported();
    const answer = await this.#client.heartbeat(
      {
        session_id: this.#member.sessionId,
        instance_id: this.#instanceId,
        beat: ++this.#beats,
        uptime_seconds: Math.floor((this.#deps.clock.monotonic() - this.#startedAt) / 1000),
        ...state,
        ...this.#host,
        takes_calls: this.#deps.calls !== undefined,
        acks,
        outcomes,
        turns,
        ...more,
      },
      options,
    );
    this.#reportedState = JSON.stringify(state);
    this.#acks = this.#acks.filter((ack) => !acks.includes(ack));
    this.#store.markReported(upTo);
    this.#turns.markReported(turns);
    return answer;
  }

  #noteMailVersion(version: string | undefined): void {
    if (version === undefined || version === this.#mailVersion) return;
    this.#mailVersion = version;
    this.#deps.mailChanged();
  }

  #hasNews(): boolean {
    return (
      this.#acks.length > 0 ||
      this.#turns.hasNews ||
      JSON.stringify(this.#state()) !== this.#reportedState ||
      this.#store.unreported().outcomes.length > 0
    );
  }

  get #host(): Pick<HeartbeatInput, 'host' | 'host_id' | 'version'> {
    const { fleetHost: host } = this.#deps;
    return { version: VERSION, ...(host && { host: host.name, host_id: host.id }) };
  }

  /** Busy means a turn, an execution, or anything in the queue that a pause does not hold. */
  #state(): Pick<
    HeartbeatInput,
    'active_tasks' | 'accepting' | 'current_task' | 'runtime_state' | 'state' | 'paused'
  > {
    const { slot, queue, surface, presence } = this.#deps;
    const { current } = slot;
    const { state, paused } = presence.standing();
    const depth = paused ? queue.askedFor() : queue.depth();
    const busy = current !== undefined || depth > 0 || surface.observation().busy;
    const admission = presence.admission();
    return {
      active_tasks: busy ? 1 : 0,
      accepting: admission === 'open',
      current_task: current ? `${current.source} ${current.id}` : null,
      state,
      ...(paused && this.#reportsPause && { paused: { until_utc: paused.until_utc } }),
      runtime_state: admission === 'blocked_unavailable' ? 'wedged' : '',
    };
  }

  /** After a refusal, reads the files again. Returns true if they name another token or server. */
  #rejoin(): boolean {
    const found = this.#connection.refused ? this.#deps.readMembership() : undefined;
    if (!found || JSON.stringify(found) === JSON.stringify(this.#member)) return false;
    this.#member = found;
    this.#client = new FleetClient(found);
    return true;
  }
}
