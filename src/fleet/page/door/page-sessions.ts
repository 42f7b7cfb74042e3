import { createHash, timingSafeEqual } from 'node:crypto';
import { type Clock, Emitter, randomHex, utcStamp } from '../../../base/index.ts';
import { type PageRight, type PageRole, rightsOf } from '../../../domain/index.ts';

/** One person at the page, in one or more tabs of one browser. Its secrets are kept as hashes, in memory only. */
export interface Session {
  id: string;
  name: string;
  /** The name of the rights that its link granted. */
  role: PageRole;
  /** Whose requests it may answer with the role `answer`. */
  org: string;
  rights: readonly PageRight[];
  beganAt: Date;
  lastSeenAt: Date;
  /** Open streams. */
  tabs: number;
  /** Aborted when it ends, for whatever reason; its streams end with it. */
  readonly ended: AbortController;
}

interface Kept extends Session {
  secret: Buffer;
  header: Buffer;
  /** When it was last used, by the clock that cannot be set back. */
  usedMs: number;
  beganMs: number;
}

interface Code {
  name: string;
  role: PageRole;
  org: string;
  endsMs: number;
}

interface Minted {
  name: string;
  role: PageRole;
  org?: string | undefined;
  ttlSeconds: number;
}

export interface Admitted {
  session: Session;
  cookie: string;
  header: string;
}

export interface SessionTimes {
  /** It ends after this long without a request and without a stream. */
  idleMs: number;
  /** It ends after this long in any case. */
  longestMs: number;
}

export const SESSION_TIMES: SessionTimes = { idleMs: 60 * 60_000, longestMs: 7 * 24 * 60 * 60_000 };

const MAX_CODES = 100;
const MAX_SESSIONS = 1000;

/**
 * Codes that open the page once, and the sessions they became. None of it is stored: after a restart the server knows
 * no sessions, and the command line hands out the next code.
 */
export class PageSessions {
  /** Emitted when a session, or a tab of one, begins or ends. */
  readonly changed = new Emitter<void>();
  /** Different for each server: all ports of a host share cookies. */
  readonly cookieName = `rouse_page_${randomHex(6)}`;
  readonly #clock: Clock;
  readonly #times: SessionTimes;
  readonly #codes = new Map<string, Code>();
  readonly #sessions = new Map<string, Kept>();

  constructor(clock: Clock, times: SessionTimes = SESSION_TIMES) {
    this.#clock = clock;
    this.#times = times;
  }

  mint({ name, role, org = 'default', ttlSeconds }: Minted): { code: string; expiresAt: Date } {
    this.#sweep();
    const code = randomHex(32);
    if (this.#codes.size >= MAX_CODES) this.#codes.delete(this.#codes.keys().next().value!);
    this.#codes.set(digest(code).toString('hex'), {
      name,
      role,
      org,
      endsMs: this.#clock.monotonic() + ttlSeconds * 1000,
    });
    return { code, expiresAt: new Date(this.#clock.now().getTime() + ttlSeconds * 1000) };
  }

  /** A code works once. It is looked up by its hash, so timing reveals nothing about a valid code. */
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
      org: found.org,
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
    if (this.#sessions.size >= MAX_SESSIONS) this.#end(this.#sessions.values().next().value!);
    this.#sessions.set(kept.secret.toString('hex'), kept);
    this.changed.emit();
    return { session: kept, cookie, header };
  }

  /** Returns the session of a cookie and the header that belongs to it; one without the other is not enough. */
  find(cookie: string | undefined, header: string | undefined): Session | undefined {
    if (cookie === undefined || header === undefined) return undefined;
    this.#sweep();
    const kept = this.#sessions.get(digest(cookie).toString('hex'));
    if (!kept || !timingSafeEqual(kept.header, digest(header))) return undefined;
    kept.usedMs = this.#clock.monotonic();
    kept.lastSeenAt = this.#clock.now();
    return kept;
  }

  /** Ends expired sessions; for streams, which make no further requests. */
  endOld(): void {
    this.#sweep();
  }

  idleEndsAt(): string {
    return utcStamp(new Date(this.#clock.now().getTime() + this.#times.idleMs));
  }

  /** Counts a stream as open until the returned function is called. */
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

  /** Whether someone is there, or may come with a code that was handed out. */
  get awaited(): boolean {
    this.#sweep();
    return this.#codes.size > 0 || this.tabs > 0;
  }

  end(session: Session): void {
    this.#end(session as Kept);
  }

  /** Ends matching sessions, and the codes of the same person; without a name, all. */
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
