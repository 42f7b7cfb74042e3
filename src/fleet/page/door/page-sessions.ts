import { createHash, timingSafeEqual } from 'node:crypto';
import { type Clock, Emitter, randomHex, utcStamp } from '../../../base/index.ts';
import { type PageRight, type PageRole, rightsOf } from '../../../domain/index.ts';

/** One person at a page, or at several tabs of one browser. Its secrets are kept as hashes, in memory alone. */
export interface Session {
  id: string;
  name: string;
  /** The name under which its link gave it its rights. */
  role: PageRole;
  rights: readonly PageRight[];
  beganAt: Date;
  lastSeenAt: Date;
  /** Streams that are open. */
  tabs: number;
  /** Aborted when it ends, whoever ended it: its streams end with it. */
  readonly ended: AbortController;
}

interface Kept extends Session {
  secret: Buffer;
  header: Buffer;
  /** When it was last used, on the clock that nobody sets back. */
  usedMs: number;
  beganMs: number;
}

interface Code {
  name: string;
  role: PageRole;
  endsMs: number;
}

export interface Admitted {
  session: Session;
  cookie: string;
  header: string;
}

export interface SessionTimes {
  /** Without a request and without a stream for this long it ends. */
  idleMs: number;
  /** It ends after this long in any case. */
  longestMs: number;
}

export const SESSION_TIMES: SessionTimes = { idleMs: 60 * 60_000, longestMs: 7 * 24 * 60 * 60_000 };

const MOST_CODES = 100;
const MOST_SESSIONS = 1000;

/**
 * Codes that open the page once, and the sessions they became. Nothing of it is stored: a server that starts anew knows
 * nobody, and the command line hands out the next code.
 */
export class PageSessions {
  /** A session began or ended, or a tab of one. */
  readonly changed = new Emitter<void>();
  /** Another one for each server: cookies are shared by all ports of a host. */
  readonly cookieName = `rouse_page_${randomHex(6)}`;
  readonly #clock: Clock;
  readonly #times: SessionTimes;
  readonly #codes = new Map<string, Code>();
  readonly #sessions = new Map<string, Kept>();

  constructor(clock: Clock, times: SessionTimes = SESSION_TIMES) {
    this.#clock = clock;
    this.#times = times;
  }

  mint({ name, role, ttlSeconds }: { name: string; role: PageRole; ttlSeconds: number }): {
    code: string;
    expiresAt: Date;
  } {
    this.#sweep();
    const code = randomHex(32);
    if (this.#codes.size >= MOST_CODES) this.#codes.delete(this.#codes.keys().next().value!);
    this.#codes.set(digest(code).toString('hex'), {
      name,
      role,
      endsMs: this.#clock.monotonic() + ttlSeconds * 1000,
    });
    return { code, expiresAt: new Date(this.#clock.now().getTime() + ttlSeconds * 1000) };
  }

  /** A code is good once. Found by its hash, so that the time it takes tells nothing about a code that is good. */
  exchange(code: string): Admitted | undefined {
    this.#sweep();
    const key = digest(code).toString('hex');
    const found = this.#codes.get(key);
    if (!found) return undefined;
    this.#codes.delete(key);
    const [cookie, header] = [randomHex(32), randomHex(32)];
    const now = this.#clock.now();
    const ms = this.#clock.monotonic();
    const kept: Kept = {
      id: randomHex(8),
      name: found.name,
      role: found.role,
      rights: rightsOf(found.role),
      beganAt: now,
      lastSeenAt: now,
      tabs: 0,
      ended: new AbortController(),
      secret: digest(cookie),
      header: digest(header),
      usedMs: ms,
      beganMs: ms,
    };
    if (this.#sessions.size >= MOST_SESSIONS) this.#end(this.#sessions.values().next().value!);
    this.#sessions.set(kept.secret.toString('hex'), kept);
    this.changed.emit();
    return { session: kept, cookie, header };
  }

  /** The session of a cookie and the header that belongs to it; one without the other is nobody. */
  find(cookie: string | undefined, header: string | undefined): Session | undefined {
    if (cookie === undefined || header === undefined) return undefined;
    this.#sweep();
    const kept = this.#sessions.get(digest(cookie).toString('hex'));
    if (!kept || !timingSafeEqual(kept.header, digest(header))) return undefined;
    kept.usedMs = this.#clock.monotonic();
    kept.lastSeenAt = this.#clock.now();
    return kept;
  }

  /** Ends what is over by now: for a stream, which makes no further requests. */
  endOld(): void {
    this.#sweep();
  }

  idleEndsAt(): string {
    return utcStamp(new Date(this.#clock.now().getTime() + this.#times.idleMs));
  }

  /** A stream is open until the function that this answers with is called. */
  attend(session: Session): () => void {
    session.tabs++;
    this.changed.emit();
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      session.tabs--;
      const kept = session as Kept;
      kept.usedMs = this.#clock.monotonic();
      kept.lastSeenAt = this.#clock.now();
      this.changed.emit();
    };
  }

  list(): Session[] {
    this.#sweep();
    return [...this.#sessions.values()];
  }

  get tabs(): number {
    return [...this.#sessions.values()].reduce((sum, { tabs }) => sum + tabs, 0);
  }

  /** Whether somebody is there, or may come with a code that was handed out. */
  get awaited(): boolean {
    this.#sweep();
    return this.#codes.size > 0 || this.tabs > 0;
  }

  end(session: Session): void {
    this.#end(session as Kept);
  }

  /** Those that match, and the codes of the same person; without a name, all. */
  revoke({ sessionId, name }: { sessionId?: string | undefined; name?: string | undefined }): {
    sessions: number;
    codes: number;
  } {
    this.#sweep();
    const meant = [...this.#sessions.values()].filter(
      (each) =>
        (sessionId === undefined || each.id === sessionId) && (name === undefined || each.name === name),
    );
    for (const each of meant) this.#end(each);
    const codes = [...this.#codes].filter(
      ([, code]) => sessionId === undefined && (name === undefined || code.name === name),
    );
    for (const [key] of codes) this.#codes.delete(key);
    return { sessions: meant.length, codes: codes.length };
  }

  #end(kept: Kept): void {
    if (!this.#sessions.delete(kept.secret.toString('hex'))) return;
    kept.ended.abort();
    this.changed.emit();
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const [key, { endsMs }] of this.#codes) if (endsMs <= now) this.#codes.delete(key);
    const { idleMs, longestMs } = this.#times;
    for (const kept of [...this.#sessions.values()]) {
      const idle = kept.tabs === 0 && now - kept.usedMs >= idleMs;
      if (idle || now - kept.beganMs >= longestMs) this.#end(kept);
    }
  }
}

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();
