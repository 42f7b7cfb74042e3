import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { type Clock, commandLine, forbidden, unauthorized } from '../../../base/index.ts';
import { limit, type PageRight, roleWith } from '../../../domain/index.ts';
import { countConnection, isFromBrowser, isOwner, RateLimiter, seenAs } from '../../../http/index.ts';
import { PAGE_HEADER, PAGE_ROOT, refusal } from '../../../wire/index.ts';
import { type Identity, requireServerAdmin } from '../../identity/index.ts';
import type { Admitted, PageSessions, Session } from './page-sessions.ts';

const AGAIN = 'run "rouse dashboard" for a new link';

export interface PageDoorOptions {
  sessions: PageSessions;
  clock: Clock;
  /** Returns the token's owner; undefined if no token was sent. */
  callerOf: (context: Context) => Identity | undefined;
  /** Called when a session asks for more than its rights allow. */
  refused?: (session: Session, asked: { path: string; needed: PageRight }) => void;
}

/** Who may use the page: those with a session, each within its rights. Only the owner hands out codes. */
export class PageDoor {
  readonly #options: PageDoorOptions;
  readonly #guesses: RateLimiter;

  constructor(options: PageDoorOptions) {
    this.#options = options;
    this.#guesses = new RateLimiter({ burst: limit('badTokens'), perSecond: 1 }, options.clock);
  }

  /**
   * Returns the session of a call, if it has this right. The cookie alone is not enough: other ports of the host get it
   * too.
   */
  require(context: Context, right: PageRight = 'view'): Session {
    const { sessions } = this.#options;
    const session = sessions.find(
      getCookie(context, sessions.cookieName),
      context.req.header(PAGE_HEADER) || undefined,
    );
    if (!session) throw unauthorized('there is no session of the page, or it has ended', { hint: AGAIN });
    if (!session.rights.includes(right)) throw this.#refused(context, session, right);
    countConnection(context, 'the page');
    return session;
  }

  /** Resolves with the awaited response, or rejects as soon as the session ends. */
  whileOpen<T>({ ended: { signal } }: Session, answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (): void => reject(unauthorized('the session of the page has ended', { hint: AGAIN }));
      if (signal.aborted) return end();
      signal.addEventListener('abort', end, { once: true });
      answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
    });
  }

  #refused(context: Context, session: Session, right: PageRight): Error {
    this.#options.refused?.(session, { path: context.req.path, needed: right });
    const needed = roleWith(right);
    const facts = { cause: 'role', role: session.role, needed: needed ?? null, right };
    if (needed === undefined)
      return forbidden(`this needs the right "${right}", which no role has`, { facts });
    return forbidden(`this needs the role "${needed}", and ${session.name} has "${session.role}"`, {
      hint: `the owner of the server can create such a link: "${commandLine`rouse dashboard --link --role ${needed} --as NAME`}"`,
      facts,
    });
  }

  /** Exchanges a code for a session. Guesses get slower and slower responses, and a used code counts as a guess. */
  login(context: Context, code: string): Admitted {
    const peer = seenAs(context).address;
    const admitted = this.#options.sessions.exchange(code);
    if (!admitted) throw this.#guessed(context, peer);
    setCookie(context, this.#options.sessions.cookieName, admitted.cookie, {
      httpOnly: true,
      sameSite: 'Strict',
      path: PAGE_ROOT,
      secure: context.req.header('origin')?.startsWith('https:') === true,
    });
    return admitted;
  }

  /** A valid code is admitted all the same: guesses slow down only those who send them. */
  #guessed(context: Context, peer: string): Error {
    const wait = Math.ceil(this.#guesses.take(peer));
    if (wait === 0)
      return unauthorized('the code is not valid: it was used before or has expired', { hint: AGAIN });
    context.header('retry-after', String(wait));
    return refusal('rate_limited', 'too many invalid codes', { hint: `try again in ${wait} s` });
  }

  forget(context: Context): void {
    setCookie(context, this.#options.sessions.cookieName, '', { path: PAGE_ROOT, maxAge: 0, httpOnly: true });
  }

  /** For the command line: requires the owner or an administrator of the whole server. Returns the name. */
  requireKeeper(context: Context): string {
    if (isFromBrowser(context))
      throw forbidden('links to the page are made on the command line, not by a page');
    const caller = this.#options.callerOf(context);
    if (caller) return requireServerAdmin(caller).userId;
    if (isOwner(context)) return 'owner';
    throw unauthorized('a bearer token is required', {
      hint: 'send "Authorization: Bearer <token>" with the token of a server administrator',
    });
  }
}
