import { timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { unauthorized } from '../base/index.ts';
import { refusal, SERVER_ROUTES } from '../wire/index.ts';
import type { Account, Accounts } from './accounts.ts';
import { isLoopback, whyNotDirect } from './sender.ts';

const OWNER = 'rouse.owner';

export interface AdmitOptions {
  /** The address the server is bound to. */
  host: string;
  accounts: Accounts;
  /** Whether the request carries a token that is good here; such a caller is not asked for its account. */
  hasToken: (context: Context) => boolean;
  /** Whether it carries the token that stands for the owner, where the kernel cannot be asked. */
  hasOwnersToken?: (context: Context) => boolean;
  /** Where a person finds the token, for the one who needs it. */
  tokenHint: string;
  /** Routes that anybody may ask who reaches the port. Default: /health. */
  open?: (path: string) => boolean;
  /** Routes with a door of their own, for whom the kernel does not call another account of the machine. */
  ownDoor?: (path: string) => boolean;
}

/**
 * Every route that is not open is for those who carry a good token and, on loopback, for programs of the account that owns the
 * server and of root, when nothing stands between. The other accounts of the machine reach the port too; whoever may type into
 * an agent may run programs.
 */
export function admit({
  host,
  accounts,
  hasToken,
  hasOwnersToken = () => false,
  tokenHint,
  open = isHealth,
  ownDoor = () => false,
}: AdmitOptions): MiddlewareHandler {
  return async (context, next) => {
    const { path } = context.req;
    const showsOwners = hasOwnersToken(context);
    if (!hasToken(context) && (showsOwners || !open(path))) {
      const account = showsOwners ? 'own' : isLoopback(host) ? accountOf(context, accounts) : 'unknown';
      if (account === 'other') {
        throw refusal('other_account', 'this server belongs to another account of this machine', {
          hint: 'its owner can let your account connect with --allow-users, and give it a token',
        });
      }
      const stranger = account === 'own' ? whyNotDirect(context) : '';
      if (stranger === undefined) context.set(OWNER, true);
      else if (!open(path) && !ownDoor(path)) throw tokenRequired(stranger, tokenHint);
    }
    await next();
  };
}

/**
 * Whether the account that owns the server speaks, known by its connection or by the token only it can read; never through a
 * proxy, never in a browser.
 */
export function isOwner(context: Context): boolean {
  return context.get(OWNER) === true;
}

/** Compares a bearer token in a time that tells nothing about it. An empty one is nobody's. */
export function carries(context: Context, token: string): boolean {
  const given = Buffer.from(context.req.header('authorization')?.replace(/^Bearer /i, '') ?? '');
  const wanted = Buffer.from(token);
  return wanted.length > 0 && given.length === wanted.length && timingSafeEqual(given, wanted);
}

function tokenRequired(why: string, hint: string): Error {
  return unauthorized(`a bearer token is required${why && `: ${why}`}`, { hint });
}

function isHealth(path: string): boolean {
  return path === SERVER_ROUTES.health.path;
}

function accountOf(context: Context, accounts: Accounts): Account {
  const socket = (context.env as Partial<HttpBindings> | undefined)?.incoming?.socket;
  return socket ? accounts.of(socket) : 'other';
}
