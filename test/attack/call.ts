import { type ChildProcessByStdio, spawn } from 'node:child_process';
import * as http from 'node:http';
import * as net from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

export interface Call {
  port: number;
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Answer {
  /** 0: the connection was closed without an answer. */
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

/** A uid that no account of ours has; a process may have it all the same, when root starts it. */
export const OTHER_UID = 65_534;
/** The same, but let in by `--allow-users`. */
export const GUEST_UID = 61_001;
export const isRoot = process.getuid?.() === 0;

const MOST_TEXT = 1 << 20;

/** Asks once, on a connection of its own. A stream is left as soon as it begins. */
export function ask({ port, method, path, body, headers = {} }: Call): Promise<Answer> {
  return new Promise((resolve) => {
    const request = http.request({ host: '127.0.0.1', port, method, path, agent: false, headers });
    request.on('error', () => resolve({ status: 0, headers: {}, text: '' }));
    request.on('response', (response) => {
      const { statusCode: status = 0, headers: said } = response;
      let seen = '';
      const done = (): void => {
        resolve({ status, headers: said, text: seen });
        request.destroy();
      };
      response.setEncoding('utf8').on('end', done).on('error', done);
      response.on('data', (part: string) => {
        seen += part;
        if (seen.length > MOST_TEXT || /event-stream/.test(said['content-type'] ?? '')) done();
      });
      if (/event-stream/.test(said['content-type'] ?? '')) done();
    });
    request.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

/** The same by somebody who is told to come back later, and does when the server said so: nothing tells them sooner. */
export async function askPatiently(call: Call): Promise<Answer> {
  for (;;) {
    const answer = await ask(call);
    if (answer.status !== 429) return answer;
    await setTimeout(1000 * Number(answer.headers['retry-after'] ?? 1));
  }
}

/** As our own programs call: so that nothing but the door in question refuses it. */
export function asProgram(call: Call, token?: string): Call {
  const headers = {
    'x-rouse': '1',
    ...(call.body !== undefined && { 'content-type': 'application/json' }),
    ...(token && { authorization: `Bearer ${token}` }),
    ...call.headers,
  };
  return { ...call, headers };
}

/** What goes over the wire, for those who write it by hand. */
export function raw({ port, method, path, body, headers = {} }: Call): string {
  const content = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(([k, v]) => `${k}: ${v}`);
  const length = `content-length: ${Buffer.byteLength(content)}`;
  return [`${method} ${path} HTTP/1.1`, ...lines, length, '', content].join('\r\n');
}

/** Writes bytes and reads what is answered until the other side closes, or nothing more comes for a while. */
export function exchangeRaw(port: number, bytes: string | Buffer, quietMs = 500): Promise<string> {
  return new Promise((resolve) => {
    let seen = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.on('data', (part) => (seen += part)).on('error', () => {});
    socket.on('close', () => resolve(seen));
  });
}

/** Starts a program of another account of this machine, which is told something. */
export function startAsOther(
  program: string,
  told: unknown,
  uid = OTHER_UID,
): ChildProcessByStdio<Writable, Readable, null> {
  const child = spawn(process.execPath, ['-e', program], {
    uid,
    gid: uid,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(told));
  return child;
}

/** The same, and answers with what it printed, as JSON. */
export async function asOtherAccount<T>(program: string, told: unknown, uid?: number): Promise<T> {
  return JSON.parse(await text(startAsOther(program, told, uid).stdout)) as T;
}
