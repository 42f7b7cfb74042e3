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
  /** 0: the connection was closed without a response. */
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

/** A uid that no account has; root can still start a process with it. */
export const OTHER_UID = 65_534;
/** Another such uid, allowed by `--allow-users`. */
export const GUEST_UID = 61_001;
export const isRoot = process.getuid?.() === 0;

const MAX_TEXT = 1 << 20;

/** Calls once, on its own connection. A stream is closed as soon as it begins. */
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
        if (seen.length > MAX_TEXT || /event-stream/.test(said['content-type'] ?? '')) done();
      });
      if (/event-stream/.test(said['content-type'] ?? '')) done();
    });
    request.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

/** The same, but retries after a 429 when the server says so. */
export async function askPatiently(call: Call): Promise<Answer> {
  for (;;) {
    const answer = await ask(call);
    if (answer.status !== 429) return answer;
    await setTimeout(1000 * Number(answer.headers['retry-after'] ?? 1));
  }
}

/** Adds the headers of our own programs, so that only the tested check can refuse it. */
export function asProgram(call: Call, token?: string): Call {
  const headers = {
    'x-rouse': '1',
    ...(call.body !== undefined && { 'content-type': 'application/json' }),
    ...(token && { authorization: `Bearer ${token}` }),
    ...call.headers,
  };
  return { ...call, headers };
}

/** The bytes of a request, for tests that write them by hand. */
export function raw({ port, method, path, body, headers = {} }: Call): string {
  const content = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(([k, v]) => `${k}: ${v}`);
  const length = `content-length: ${Buffer.byteLength(content)}`;
  return [`${method} ${path} HTTP/1.1`, ...lines, length, '', content].join('\r\n');
}

/** Writes bytes and reads the response until the other side closes, or nothing more comes for a while. */
export function exchangeRaw(port: number, bytes: string | Buffer, quietMs = 500): Promise<string> {
  return new Promise((resolve) => {
    let seen = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.on('data', (part) => (seen += part)).on('error', () => {});
    socket.on('close', () => resolve(seen));
  });
}

/** Starts a program as another account of this machine, with this input as JSON. */
export function startAsOther(
  program: string,
  input: unknown,
  uid = OTHER_UID,
): ChildProcessByStdio<Writable, Readable, null> {
  const child = spawn(process.execPath, ['-e', program], {
    uid,
    gid: uid,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(input));
  return child;
}

/** The same; returns the JSON it printed. */
export async function asOtherAccount<T>(program: string, input: unknown, uid?: number): Promise<T> {
  return JSON.parse(await text(startAsOther(program, input, uid).stdout)) as T;
}
