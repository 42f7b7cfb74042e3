import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/** The share of the places that is kept for new connections, so that they have time to send a request. */
const FOR_NEWCOMERS = 1 / 8;

/**
 * The connections of a server, up to a maximum. When one more comes, another is closed: the oldest that never sent a request,
 * while there are more of those than newcomers need; else the oldest that waits for its next request; else, when all are busy,
 * the oldest of the party that has the most. So no party can take every place.
 */
export class ConnectionPlaces {
  readonly #max: number;
  readonly #all = new Map<string, Socket>();
  readonly #silent = new Set<string>();
  readonly #resting = new Set<string>();
  /** By party: the address until the caller is known. Oldest first. */
  readonly #asking = new Map<string, Set<string>>();
  readonly #partyOf = new Map<string, string>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds a TCP connection, below TLS. */
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

  /** A request has come: the connection keeps its place until the response is out. */
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

  /** Counts the connection for the party that the request is from. */
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

/** The same key for a connection and for the TLS on it. */
const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

const PLACES = new WeakMap<IncomingMessage, ConnectionPlaces>();

/** Counts the connection of a request for a party, once that is known. */
export function countConnection(context: Context, party: string): void {
  const incoming = incomingOf(context);
  if (incoming) PLACES.get(incoming)?.belongs(incoming, party);
}

/** Undefined when the request did not come over a connection. */
export function partyOf(context: Context): string | undefined {
  const incoming = incomingOf(context);
  return incoming && PLACES.get(incoming)?.partyOf(incoming);
}

const incomingOf = (context: Context): IncomingMessage | undefined =>
  (context.env as Partial<HttpBindings> | undefined)?.incoming as IncomingMessage | undefined;
