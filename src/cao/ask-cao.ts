import * as http from 'node:http';
import { errnoOf } from '../base/index.ts';
import type { CaoAddress } from './cao-address.ts';

export interface CaoQuestion {
  method: 'GET' | 'POST';
  /** Path and query, encoded. */
  path: string;
  timeoutMs: number;
}

/** `absent`: no connection, so nothing was sent. `lost`: it was sent, but how it ended is unknown. */
export type CaoAnswer =
  | { kind: 'answered'; status: number; body: unknown }
  | { kind: 'absent'; why: string }
  | { kind: 'lost'; why: string };

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

class ResponseTimeout extends Error {}

/** Sends one request over its own connection, without a proxy or an Origin. Never throws and never repeats. */
export function askCao(address: CaoAddress, { method, path, timeoutMs }: CaoQuestion): Promise<CaoAnswer> {
  return new Promise((resolve) => {
    let connected = false;
    const outgoing = http.request({
      host: address.host,
      port: address.port,
      method,
      path,
      agent: new http.Agent(),
      headers: { accept: 'application/json' },
    });
    const timer = setTimeout(() => outgoing.destroy(new ResponseTimeout()), timeoutMs);
    const fail = (error: unknown): void => {
      clearTimeout(timer);
      const what =
        error instanceof ResponseTimeout ? `no answer within ${timeoutMs} ms` : (errnoOf(error) ?? 'closed');
      resolve({ kind: connected ? 'lost' : 'absent', why: what });
    };
    outgoing.on('socket', (socket) => socket.once('connect', () => (connected = true)));
    outgoing.on('error', fail);
    outgoing.on('response', (response) => {
      collect(response).then((text) => {
        clearTimeout(timer);
        resolve({ kind: 'answered', status: response.statusCode ?? 0, body: parse(text) });
      }, fail);
    });
    outgoing.end();
  });
}

async function collect(response: http.IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Refusals of its HTTP parser and of its host check are plain text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
