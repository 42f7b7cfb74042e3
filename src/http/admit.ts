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
  /** Whether the request has a valid token; the account of such a caller does not matter. */
  hasToken: (context: Context) => boolean;
  /** Whether it has the token that proves the owner where the kernel cannot be asked. */
  hasOwnersToken?: (context: Context) => boolean;
  /** Hint that says where to find the token. */
  tokenHint: string;
  /** Routes open to everyone who reaches the port. Default: /health. */
  open?: (path: string) => boolean;
  /** Routes with a check of their own, unless the kernel reports another account. */
  ownDoor?: (path: string) => boolean;
}

/**
 * Routes that are not open need a valid token or, on loopback, a direct connection from a program of the server's own account
 * or root. Other accounts of the machine reach the port too, and a caller that may type into an agent may run programs.
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
 * Whether the caller is the account that owns the server, known by its connection or by the token that only it can read.
 * Never true through a proxy or from a browser.
 */
export function isOwner(context: Context): boolean {
  return context.get(OWNER) === true;
}

/** Compares a bearer token in constant time. An empty token matches nothing. */
export function carries(context: Context, token: string): boolean {
  const sent = Buffer.from(context.req.header('authorization')?.replace(/^Bearer /i, '') ?? '');
  const wanted = Buffer.from(token);
  return wanted.length > 0 && sent.length === wanted.length && timingSafeEqual(sent, wanted);
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
