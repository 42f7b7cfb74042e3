import { once } from 'node:events';
import * as http from 'node:http';
import type { Server, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { conflict, errnoOf, invalid, openFilesLimit } from '../base/index.ts';
import { limit } from '../domain/index.ts';
import type { Accounts } from './accounts.ts';
import { ConnectionPlaces } from './connection-places.ts';
import { isLoopback } from './sender.ts';
import { type TlsFiles, tlsServer } from './tls.ts';

/** The app is set when everything behind it is ready. */
export interface Door {
  app: Hono | undefined;
  /** Asked about each connection when it is made, because its other end may be gone later. */
  accounts: Accounts;
}

export interface Listening {
  host: string;
  port: number;
  close(): Promise<void>;
}

/** Default headers of every response. Not set through the app, which would build a list of headers for them. */
const DEFAULT_HEADERS = [
  ['cache-control', 'no-store'],
  ['x-content-type-options', 'nosniff'],
] as const;

/**
 * Binds and serves. A busy port is a `conflict` with a cause that programs can read; no other port is tried.
 * Call it before anything else is started: until there is an app, every response is 503.
 */
export async function listen(door: Door, host: string, port: number, tls?: TlsFiles): Promise<Listening> {
  const starting = (): Response => Response.json({ detail: 'the server is starting' }, { status: 503 });
  const places = new ConnectionPlaces(maxConnections());
  const answer = getRequestListener((request, env) => door.app?.fetch(request, env) ?? starting());
  const listener: http.RequestListener = (incoming, outgoing) => {
    places.asks(incoming, outgoing);
    for (const [name, value] of DEFAULT_HEADERS) outgoing.setHeader(name, value);
    return answer(incoming, outgoing);
  };
  const { server, answering, stop } = tls ? tlsServer(tls, listener) : plainServer(listener);
  const strangers = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    places.take(socket);
    if (door.accounts.of(socket) !== 'other' || !isLoopback(host)) return;
    if (strangers.size >= MAX_STRANGERS) return void socket.destroy();
    strangers.add(socket);
    socket.once('close', () => strangers.delete(socket));
  });
  for (const each of answering) {
    each.headersTimeout = 10_000;
    each.requestTimeout = 60_000;
  }
  server.listen({ host, port, backlog: BACKLOG });
  try {
    await Promise.race([once(server, 'listening'), failure(server)]);
  } catch (error) {
    stop();
    throw bindError(error, host, port);
  }
  // A failed accept affects only its caller; the next one may succeed.
  server.on('error', () => {});
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return { host, port: bound, close: () => close(server, answering).finally(stop) };
}

function plainServer(listener: http.RequestListener) {
  const server = http.createServer(listener);
  return { server, answering: [server], stop: () => {} };
}

/** Room for connections that come while the server is busy: after its restart, those of every gateway at once. */
const BACKLOG = 4096;

/** Descriptors reserved for files, databases and child processes. */
const KEPT_BACK = 96;
/** Connections of other accounts of the machine, which may call /health only; the owner needs the places. */
const MAX_STRANGERS = 16;

/** Clients must not be able to use up the file descriptors. */
export function maxConnections(): number {
  const soft = openFilesLimit() ?? 1024;
  return Math.min(limit('connections'), Math.max(16, soft - KEPT_BACK));
}

async function failure(server: Server): Promise<never> {
  const [error] = (await once(server, 'error')) as [Error];
  throw error;
}

function bindError(error: unknown, host: string, port: number): Error {
  if (errnoOf(error) === 'EADDRINUSE') {
    return conflict(`port ${port} on ${host} is already in use`, {
      hint: 'choose another port, or stop what listens there',
      facts: { cause: 'port_in_use', host, port },
    });
  }
  return invalid(`cannot listen on ${host}:${port}`, { cause: error, facts: { cause: 'bind_failed' } });
}

/** Stops accepting, lets running responses finish, and closes idle connections. */
async function close(server: Server, answering: readonly http.Server[]): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const each of answering) each.closeIdleConnections();
  const force = setTimeout(() => {
    for (const each of answering) each.closeAllConnections();
  }, 1000);
  await closed;
  clearTimeout(force);
}
