import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/** Of the places: so many newcomers have the time to speak, however many others hold what they have. */
const FOR_NEWCOMERS = 1 / 8;

/**
 * The connections of a server, of which it has only so many. When one more comes than there are places, one that asks nothing is
 * closed: those that never asked, while there are more of them than newcomers need, then those that wait for their next request,
 * the oldest of each before the others. When all the rest ask, the party that has most of them loses its oldest: however many one
 * holds, another one finds a place.
 */
export class ConnectionPlaces {
  readonly #max: number;
  readonly #all = new Map<string, Socket>();
  readonly #silent = new Set<string>();
  readonly #resting = new Set<string>();
  /** By party, which is an address until more is known; oldest first. */
  readonly #asking = new Map<string, Set<string>>();
  readonly #partyOf = new Map<string, string>();

  constructor(most: number) {
    this.#max = most;
  }

  /** Of TCP, below TLS. */
  take(socket: Socket): void {
    const key = keyOf(socket);
    this.#all.set(key, socket);
    this.#silent.add(key);
    socket.once('close', () => {
      if (this.#all.get(key) === socket) this.#forget(key);
    });
    if (this.#all.size <= this.#max) return;
    const leaves = this.#next();
    const closed = this.#all.get(leaves);
    this.#forget(leaves);
    closed?.destroy();
  }

  #next(): string {
    const [oldest] = this.#silent;
    if (this.#silent.size > Math.max(1, this.#max * FOR_NEWCOMERS)) return oldest!;
    const [resting] = this.#resting;
    return resting ?? this.#oldestOfMost() ?? oldest!;
  }

  /** It asks something, and has its place until the answer is out. */
  asks(incoming: IncomingMessage, answer: Pick<ServerResponse, 'once'>): void {
    const { socket } = incoming;
    const key = keyOf(socket);
    this.#silent.delete(key);
    this.#resting.delete(key);
    this.#count(key, `from ${socket.remoteAddress}`);
    PLACES.set(incoming, this);
    answer.once('close', () => {
      this.#uncount(key);
      if (this.#all.has(key) && !socket.destroyed) this.#resting.add(key);
    });
  }

  /** Whose question it is. */
  belongs({ socket }: IncomingMessage, party: string): void {
    const key = keyOf(socket);
    if (this.#partyOf.has(key)) this.#count(key, party);
  }

  partyOf({ socket }: IncomingMessage): string | undefined {
    return this.#partyOf.get(keyOf(socket));
  }

  #count(key: string, party: string): void {
    this.#uncount(key);
    const all = this.#asking.get(party) ?? new Set();
    this.#asking.set(party, all.add(key));
    this.#partyOf.set(key, party);
  }

  #uncount(key: string): void {
    const party = this.#partyOf.get(key);
    if (party === undefined) return;
    this.#partyOf.delete(key);
    const all = this.#asking.get(party)!;
    all.delete(key);
    if (all.size === 0) this.#asking.delete(party);
  }

  #oldestOfMost(): string | undefined {
    let most: Set<string> = new Set();
    for (const all of this.#asking.values()) if (all.size > most.size) most = all;
    return most.values().next().value;
  }

  #forget(key: string): void {
    this.#all.delete(key);
    this.#silent.delete(key);
    this.#resting.delete(key);
    this.#uncount(key);
  }
}

/** The same for a connection and for the TLS on it. */
const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

const PLACES = new WeakMap<IncomingMessage, ConnectionPlaces>();

/** For whom a request holds its connection, once that is known. */
export function countConnection(context: Context, party: string): void {
  const incoming = incomingOf(context);
  if (incoming) PLACES.get(incoming)?.belongs(incoming, party);
}

/** Undefined: it did not come over a connection. */
export function partyOf(context: Context): string | undefined {
  const incoming = incomingOf(context);
  return incoming && PLACES.get(incoming)?.partyOf(incoming);
}

const incomingOf = (context: Context): IncomingMessage | undefined =>
  (context.env as Partial<HttpBindings> | undefined)?.incoming as IncomingMessage | undefined;
