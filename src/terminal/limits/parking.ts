import * as path from 'node:path';
import {
  bootId,
  type Clock,
  crashPoint,
  newUuid,
  readObjectIfAny,
  untilWall,
  utcStamp,
  WALL_CHECK_MS,
  writeJsonAtomic,
} from '../../base/index.ts';
import { type ParkPolicy, type Reason, reason } from '../../domain/index.ts';
import type { TurnState } from '../../screen/index.ts';
import { type LimitSeen, MAX_TRIES, parkUntil } from './park-until.ts';

/** Added to a limit's end: the provider's clock may be behind, and a tool that resumes by itself goes first. */
const GRACE_MS = 15_000;

/** A tool that shows that it continues by itself has this much longer. Claude Code does so after up to two minutes. */
const CONTINUES_MS = 10 * 60_000;

/** The system's uptime may have whole seconds only. */
const UPTIME_STEP_MS = 1000;

/** A usage limit for which nothing is typed until its end. Stored, so that another gateway continues it. */
interface Park {
  schema_version: 1;
  id: string;
  source: string;
  text: string;
  /** The end that the tool stated; null if it stated none. */
  said_utc: string | null;
  cut: boolean;
  /** How often it was met again after its end. */
  tries: number;
  noted_at_utc: string;
  until_utc: string;
  /** This agent's time among those of its account; null until it is taken. */
  slot_utc: string | null;
  /** How long this boot of the machine had lasted, sleep included: the wall clock may be set. */
  up_ms: number;
  boot_id: string | null;
}

/** What others may know about it. */
export interface ParkView {
  id: string;
  /** When the tool's limit ends. */
  untilUtc: string;
  /** When something may be typed again. */
  slotUtc: string | null;
  over: boolean;
  /** It ended a turn. */
  cut: boolean;
  /** It stayed after several tries. */
  stays: boolean;
}

export interface ParkingOptions {
  /** Where it is stored. */
  file: string;
  clock: Clock;
  /** Milliseconds since the machine was started, sleep included. */
  uptime: () => number;
  /** The first free time of the account from this one on. Absent: there are no others. */
  takeSlot?: ((fromMs: number) => Promise<number>) | undefined;
  changed: () => void;
}

export const limitFile = (sessionRoot: string): string => path.join(sessionRoot, 'launch', 'limit.json');

/** One look, as far as it concerns limits. */
export interface LimitLook {
  seen: LimitSeen | undefined;
  turn: Pick<TurnState, 'phase' | 'lastTurn'>;
  /** The screen was read: a notice that is not there has gone. */
  readable: boolean;
}

/**
 * Holds everything back from the moment a usage limit is seen until its end, by both clocks: the wall clock must show it, and
 * the time must have passed. A turn that ends well shows that the limit is over.
 */
export class Parking {
  readonly #options: ParkingOptions;
  readonly #boot = bootId();
  #park: Park | undefined;
  #policy: () => ParkPolicy = () => 'hold';
  #seen: LimitSeen | undefined;
  #lastTurn: TurnState['lastTurn'] | undefined;
  /** A turn ran since the end of the limit. */
  #tried = false;

  constructor(options: ParkingOptions) {
    this.#options = options;
    this.#park = readPark(options.file);
    if (this.#park?.slot_utc === null) void this.#takeSlot(this.#park);
  }

  follow(policy: () => ParkPolicy): void {
    this.#policy = policy;
  }

  look({ seen, turn, readable }: LimitLook): void {
    if (!readable) return;
    this.#seen = seen;
    const { lastTurn, phase } = turn;
    const worked =
      lastTurn.result === 'success' && lastTurn !== this.#lastTurn && this.#lastTurn !== undefined;
    this.#lastTurn = lastTurn;
    const over = this.#park !== undefined && this.#isOver(this.#park);
    if (over && phase === 'active') this.#tried = true;
    if (!seen) {
      if (this.#park && (worked || (over && phase === 'ready'))) this.#store(undefined);
      return;
    }
    // While the tool works it waits for the limit by itself.
    if (seen.spent || phase === 'active' || this.#isKnown(seen, over)) return;
    this.#note(seen, over && this.#tried ? (this.#park?.tries ?? -1) + 1 : (this.#park?.tries ?? 0));
  }

  /** The same notice as before, and nothing ran since its end. */
  #isKnown({ text }: LimitSeen, over: boolean): boolean {
    return this.#park?.text === text && !(over && this.#tried);
  }

  /** Why nothing is typed; null if nothing is held back. */
  get hold(): Reason | null {
    if (this.#policy() === 'off') return null;
    if (this.#seen?.spent) return reason('credits_spent', this.#seen.text);
    const park = this.#park;
    if (!park) return this.#seen ? reason('usage_limit', this.#seen.resets ?? 'hit') : null;
    if (park.tries >= MAX_TRIES) return reason('usage_limit', 'stays');
    if (this.#isOver(park)) return null;
    const isPast = this.#extraMs > 0 && this.#isPast(park, 0);
    return reason('usage_limit', isPast ? 'continues' : `until ${seconds(park.slot_utc ?? park.until_utc)}`);
  }

  get view(): ParkView | undefined {
    const park = this.#park;
    if (!park || this.#policy() === 'off') return undefined;
    const { id, until_utc, slot_utc, cut, tries } = park;
    const stays = tries >= MAX_TRIES;
    return { id, untilUtc: until_utc, slotUtc: slot_utc, over: !stays && this.#isOver(park), cut, stays };
  }

  /** When to look again; undefined if nothing is pending. */
  get nextMs(): number | undefined {
    const park = this.#park;
    if (!park?.slot_utc || park.tries >= MAX_TRIES || this.#isOver(park)) return undefined;
    const { clock } = this.#options;
    const extra = this.#isPast(park, 0) ? this.#extraMs : 0;
    const wall = untilWall(clock, Date.parse(park.slot_utc) + extra);
    return Math.max(1, wall > 0 ? wall : Math.min(this.#missingMs(park) + extra, WALL_CHECK_MS));
  }

  #isOver(park: Park): boolean {
    return this.#isPast(park, this.#extraMs);
  }

  get #extraMs(): number {
    return this.#seen?.continues ? CONTINUES_MS : 0;
  }

  /** Whether the end was this long ago by both clocks. */
  #isPast(park: Park, extraMs: number): boolean {
    if (park.slot_utc === null) return false;
    const endMs = Date.parse(park.slot_utc) + extraMs;
    return this.#options.clock.now().getTime() >= endMs && this.#missingMs(park) + extraMs <= 0;
  }

  /** How much time must still pass whatever the wall clock shows. After a restart of the machine only that counts. */
  #missingMs(park: Park): number {
    if (park.boot_id !== this.#boot) return Number.NEGATIVE_INFINITY;
    const wait = Date.parse(park.slot_utc ?? park.until_utc) - Date.parse(park.noted_at_utc);
    return wait - (this.#options.uptime() - park.up_ms) - UPTIME_STEP_MS;
  }

  #note(seen: LimitSeen, tries: number): void {
    const { clock, uptime } = this.#options;
    const now = clock.now();
    const before = this.#park?.said_utc;
    const { untilMs, saidMs } = parkUntil(seen, now.getTime(), {
      tries,
      saidMs: before ? Date.parse(before) : null,
    });
    this.#tried = false;
    const park: Park = {
      schema_version: 1,
      id: newUuid(),
      source: seen.source,
      text: seen.text,
      said_utc: saidMs === null ? null : new Date(saidMs).toISOString(),
      cut: seen.cut === true,
      tries,
      noted_at_utc: utcStamp(now),
      until_utc: new Date(untilMs).toISOString(),
      slot_utc: null,
      up_ms: uptime(),
      boot_id: this.#boot,
    };
    this.#store(park);
    void this.#takeSlot(park);
  }

  async #takeSlot(park: Park): Promise<void> {
    const { takeSlot } = this.#options;
    const fromMs = Date.parse(park.until_utc) + GRACE_MS;
    // Alone rather than never, if the shared file cannot be used.
    const slot = takeSlot ? await takeSlot(fromMs).catch(() => fromMs) : fromMs;
    if (this.#park?.id !== park.id) return;
    this.#store({ ...park, slot_utc: new Date(slot).toISOString() });
    this.#options.changed();
  }

  /** If it cannot be stored, it holds as long as this process lives. */
  #store(park: Park | undefined): void {
    this.#park = park;
    if (!park) this.#tried = false;
    crashPoint('limits.store.before-write');
    try {
      writeJsonAtomic(this.#options.file, park ?? { schema_version: 1 });
    } catch {
      // as above
    }
    crashPoint('limits.store.after-write');
  }
}

const seconds = (stamp: string): string => `${stamp.slice(0, 19)}Z`;

function readPark(file: string): Park | undefined {
  const park = readObjectIfAny(file) as Partial<Park> | undefined;
  const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value));
  const isPark =
    typeof park?.id === 'string' &&
    typeof park.text === 'string' &&
    isTime(park.noted_at_utc) &&
    isTime(park.until_utc) &&
    (park.said_utc === null || isTime(park.said_utc)) &&
    (park.slot_utc === null || isTime(park.slot_utc)) &&
    Number.isSafeInteger(park.tries) &&
    typeof park.up_ms === 'number';
  return isPark ? (park as Park) : undefined;
}
