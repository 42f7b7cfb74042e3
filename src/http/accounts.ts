import type { Socket } from 'node:net';
import { type Ends, invalid, type SocketOwner, socketOwner } from '../base/index.ts';

/** `own`: this account or root. `guest`: an account admitted by name, without rights of its own. `unknown`: the kernel cannot be asked. */
export type Account = 'own' | 'guest' | 'other' | 'unknown';

export interface AccountRules {
  /** The uid of this process. */
  ownUid: number | undefined;
  /** Accounts that may connect and need a token on every route. */
  guests: ReadonlySet<number>;
  ownerOf: (ends: Ends) => SocketOwner;
}

/** How the kernel names a uid that it cannot show in this user namespace. */
const OVERFLOW_UID = 65_534;

/** Asks the kernel where possible; `ROUSE_PEER_CHECK=token` is for systems where its answer cannot be trusted. */
export function accountsFor(
  env: Readonly<Record<string, string | undefined>>,
  guests: ReadonlySet<number> = new Set(),
): Accounts {
  const by = env['ROUSE_PEER_CHECK'] || 'kernel';
  if (by !== 'kernel' && by !== 'token')
    throw invalid(`ROUSE_PEER_CHECK must be "kernel" or "token", but is "${by.slice(0, 40)}"`);
  return new Accounts({ guests, ...(by === 'token' && { ownerOf: () => 'unaskable' }) });
}

/** The account at the other end of each connection. The kernel is asked once, when the connection is made. */
export class Accounts {
  readonly #rules: AccountRules;
  readonly #known = new WeakMap<Socket, Account>();

  constructor({
    ownUid = process.getuid?.(),
    guests = new Set(),
    ownerOf = socketOwner,
  }: Partial<AccountRules> = {}) {
    this.#rules = { ownUid, guests, ownerOf };
  }

  /** Whether the kernel reports who connects. Where it does not, every caller needs a token. */
  get areKnown(): boolean {
    const { ownUid, ownerOf } = this.#rules;
    return ownUid !== undefined && ownerOf({}) !== 'unaskable';
  }

  of(socket: Socket): Account {
    const known = this.#known.get(socket);
    if (known !== undefined) return known;
    const account = this.#ask(socket);
    this.#known.set(socket, account);
    return account;
  }

  #ask(socket: Socket): Account {
    const { ownUid, guests, ownerOf } = this.#rules;
    const owner = ownerOf(socket);
    if (owner === 'unaskable' || ownUid === undefined) return 'unknown';
    if (owner === 'none') return 'other';
    if (owner === 0) return 'own';
    if (owner === ownUid && owner !== OVERFLOW_UID) return 'own';
    return guests.has(owner) ? 'guest' : 'other';
  }
}
