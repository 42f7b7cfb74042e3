import { type Clock, Emitter } from '../base/index.ts';
import type { ParkPolicy } from '../domain/index.ts';
import type { SignalReader } from '../tools/index.ts';
import type { Calibration } from './lane/calibration.ts';
import { whyNoKeys } from './lane/keys/keys-refused.ts';
import type { Lane } from './lane/lane.ts';
import type { Parking } from './limits/parking.ts';
import type { Owner } from './owner.ts';
import type {
  AgentSurface,
  DeliveryResult,
  InterruptedDelivery,
  KeyDelivery,
  Leftovers,
  LeftTurn,
  Observation,
  PromptDelivery,
  Recheck,
  Recovered,
} from './port.ts';
import type { PaneWatch } from './watch/pane-watch.ts';
import type { Snapshot } from './watch/snapshot.ts';
import { toolInstance } from './watch/tool-process.ts';
import type { Tracker } from './watch/tracker.ts';
import type { TuiRecord } from './watch/tui-record.ts';

export interface TuiParts {
  watch: PaneWatch;
  tracker: Tracker;
  parking: Parking;
  lane: Lane;
  record: TuiRecord;
  calibration: Calibration | undefined;
  owner: Owner | undefined;
  clock: Clock;
  openSignals: () => readonly SignalReader[];
}

/** A paste takes moments; a buffer of ours that is this old belongs to a process that was killed. */
const BUFFER_LEFT_BEHIND_SECONDS = 600;

/** An agent's TUI in tmux: in window 0 of its session, or in the window that a server assigned. */
export class TuiSurface implements AgentSurface {
  readonly kind = 'tui' as const;
  readonly changed = new Emitter<Observation>();
  readonly tui: TuiRecord;
  readonly leftovers: Leftovers;
  readonly #parts: TuiParts;
  #lastEmitted = '';

  constructor(parts: TuiParts) {
    this.#parts = parts;
    this.tui = parts.record;
    this.leftovers = parts.lane;
    parts.tracker.changed.on((snapshot) => this.#emitIfChanged(snapshot));
    parts.owner?.changed.on(() => parts.tracker.signalled());
  }

  observation(): Observation {
    return observationOf(this.#parts, this.#parts.tracker.snapshot);
  }

  deliver = (prompt: PromptDelivery): Promise<DeliveryResult> => this.#parts.lane.deliver(prompt);
  sendKeys = (keys: KeyDelivery): Promise<DeliveryResult> => this.#parts.lane.sendKeys(keys);
  interrupt = (_requestId: string, pressing?: () => Recheck): Promise<DeliveryResult> =>
    this.#parts.lane.interrupt(pressing);
  parkBy = (policy: () => ParkPolicy): void => this.#parts.parking.follow(policy);
  followLeft = (turn: LeftTurn): boolean => this.#parts.lane.followLeft(turn);
  recover = (interrupted: InterruptedDelivery): Promise<Recovered> => this.#parts.lane.recover(interrupted);

  async start(): Promise<void> {
    await this.#parts.watch.start();
    this.#parts.tracker.listen(this.#parts.openSignals());
    await this.#parts.tracker.look();
    await this.#parts.owner?.start();
    const { watch, clock } = this.#parts;
    await watch.tmux.sweepBuffers(BUFFER_LEFT_BEHIND_SECONDS, clock.now()).catch(() => 0);
  }

  async close(): Promise<void> {
    this.#parts.calibration?.close();
    this.#parts.owner?.close();
    await this.#parts.lane.close();
    this.#parts.record.close();
    this.#parts.tracker.close();
    await this.#parts.watch.close();
  }

  /** Emits only differences; ages and screens change all the time. */
  #emitIfChanged(snapshot: Snapshot): void {
    const { observedAtUtc, ...facts } = observationOf(this.#parts, snapshot);
    const serialized = JSON.stringify(facts);
    if (serialized === this.#lastEmitted) return;
    this.#lastEmitted = serialized;
    this.changed.emit({ observedAtUtc, ...facts });
  }
}

function observationOf(
  { tracker, parking, lane, owner: server }: Pick<TuiParts, 'tracker' | 'parking' | 'lane' | 'owner'>,
  snapshot: Snapshot,
): Observation {
  const { view, away, lost, foreground, facts, turn, at } = snapshot;
  const gate = tracker.gate(snapshot, 'ready_only');
  const gone = foreground.kind === 'gone' || foreground.kind === 'shell';
  const owner = server?.view(snapshot);
  const forgotten = owner?.state === 'terminal_unknown';
  const reachable = view !== undefined && !gone && !forgotten;
  const { tool } = foreground;
  const { typing } = lane;
  const { view: limit } = parking;
  return {
    observedAtUtc: view?.atUtc ?? at.utc,
    connectivity: reachable ? 'connected' : 'unavailable',
    unavailableReason: reachable
      ? null
      : (away ?? owner?.detail ?? `the tool is not running (${foreground.kind})`),
    sessionLost: lost,
    sessionName: view?.pane.sessionName,
    instanceId: tool ? toolInstance(tool) : null,
    eligibility: gate.ready
      ? 'ready'
      : turn.phase === 'unknown' && !facts.dialog.value
        ? 'unknown'
        : 'not_ready',
    ready: gate.ready,
    reasons: gate.ready ? [] : gate.reasons,
    keysWait: whyNoKeys(snapshot),
    ...(typing && { typing }),
    busy: turn.phase === 'active',
    ...(owner && { owner }),
    ...(limit && { limit }),
  };
}
