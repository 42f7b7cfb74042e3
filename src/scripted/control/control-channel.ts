import * as fs from 'node:fs';
import * as net from 'node:net';
import { asRouseError, errnoOf, invalid, messageOf } from '../../base/index.ts';
import type { Journal } from './journal.ts';

const MAX_LINE = 4 * 1024 * 1024;
const MAX_UNSENT = 16 * 1024 * 1024;
/** The kernel's limit for the path of a socket. */
const MAX_PATH = 107;

export interface ControlChannel {
  close(): void;
}

/**
 * JSON lines over a Unix socket that only its owner may open. Every message gets one reply, in order. Every event of the
 * journal is sent to every client as it happens. A bad line gets an error and changes nothing.
 */
export async function openControlChannel(
  path: string,
  journal: Journal,
  run: (message: Record<string, unknown>) => unknown,
): Promise<ControlChannel> {
  if (Buffer.byteLength(path) > MAX_PATH) {
    throw invalid(`--control ${path} is too long for a socket (${MAX_PATH} bytes at most)`);
  }
  await removeStale(path);
  const clients = new Set<net.Socket>();
  const server = net.createServer((client) => {
    clients.add(client);
    client.on('close', () => clients.delete(client));
    client.on('error', () => client.destroy());
    readLines(client, (line) => send(client, answerTo(line, run)));
    send(client, { hello: { pid: process.pid, seq: journal.seq } });
  });
  await listenPrivately(server, path);
  const stop = journal.events.on((event) => {
    for (const client of clients) send(client, { event });
  });
  return {
    close() {
      stop();
      server.close();
      for (const client of clients) client.destroySoon();
    },
  };
}

function listenPrivately(server: net.Server, path: string): Promise<void> {
  const mask = process.umask(0o177);
  return (
    new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(invalid(`--control ${path}: ${messageOf(error)}`)));
      server.listen(path, resolve);
    })
      // Later errors are connections that could not be accepted; the client sees them.
      .then(() => void server.on('error', () => {}))
      .finally(() => process.umask(mask))
  );
}

/** Removes the socket of a killed agent. A socket that accepts connections is in use. */
async function removeStale(path: string): Promise<void> {
  if (!fs.existsSync(path)) return;
  if (!fs.statSync(path).isSocket()) throw invalid(`--control ${path} exists and is not a socket`);
  const alive = await new Promise<boolean>((resolve) => {
    const probe = net.connect(path, () => {
      probe.destroy();
      resolve(true);
    });
    probe.on('error', (error) => resolve(errnoOf(error) !== 'ECONNREFUSED' && errnoOf(error) !== 'ENOENT'));
  });
  if (alive) throw invalid(`--control ${path} is in use by another agent`);
  fs.rmSync(path, { force: true });
}

function readLines(client: net.Socket, take: (line: string) => void): void {
  let rest = '';
  client.setEncoding('utf8');
  client.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') take(line);
    if (rest.length > MAX_LINE) client.destroy();
  });
}

function answerTo(line: string, run: (message: Record<string, unknown>) => unknown): Record<string, unknown> {
  let ack: unknown = null;
  try {
    const message: unknown = parsed(line);
    if (message === null || typeof message !== 'object' || Array.isArray(message)) {
      throw invalid('a control message is one JSON object per line');
    }
    ack = (message as Record<string, unknown>)['id'] ?? null;
    return { ack, ok: true, result: run(message as Record<string, unknown>) ?? null };
  } catch (error) {
    const { message, hint } = asRouseError(error);
    return { ack, ok: false, error: message, ...(hint === undefined ? {} : { hint }) };
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw invalid('a control message is one JSON object per line');
  }
}

/** A client that does not read is dropped, so that memory stays bounded. */
function send(client: net.Socket, message: unknown): void {
  if (client.writableLength > MAX_UNSENT) client.destroy();
  else if (client.writable) client.write(`${JSON.stringify(message)}\n`);
}
