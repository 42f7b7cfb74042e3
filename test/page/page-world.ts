import { randomUUID } from 'node:crypto';
import * as http from 'node:http';
import type { PageRole } from '../../src/domain/index.ts';
import { PAGE_HEADER } from '../../src/wire/index.ts';
import { type Json, ServedWorld } from '../fleet/served-world.ts';

export interface Said {
  status: number;
  body: Json;
  headers: http.IncomingHttpHeaders;
}

/** A browser on the page: its cookie and the matching header. */
export interface Visitor {
  cookie: string;
  header: string;
  session: Json;
}

/** A world with a page and people who use it. */
export class PageWorld extends ServedWorld {
  /** Sends one request unchanged; adds nothing that a browser would not send. */
  send(method: string, target: string, headers: Record<string, string> = {}, body?: unknown): Promise<Said> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const request = http.request({
        host: '127.0.0.1',
        port: this.server.port,
        method,
        path: target,
        agent: false,
        headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
      });
      request.on('response', (response) => {
        let said = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          said += part;
        });
        response.on('end', () => {
          let parsed: Json;
          try {
            parsed = JSON.parse(said) as Json;
          } catch {
            parsed = { text: said };
          }
          resolve({ status: response.statusCode ?? 0, body: parsed, headers: response.headers });
        });
      });
      request.on('error', reject);
      request.end(text);
    });
  }

  /** The bytes of a file as they are sent. */
  sendBytes(
    target: string,
    acceptEncoding: string,
  ): Promise<{ bytes: Buffer; headers: http.IncomingHttpHeaders }> {
    const { port } = this.server;
    const headers = acceptEncoding === '' ? {} : { 'accept-encoding': acceptEncoding };
    return new Promise((resolve, reject) => {
      http
        .get({ host: '127.0.0.1', port, path: target, agent: false, headers }, (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () => resolve({ bytes: Buffer.concat(parts), headers: response.headers }));
        })
        .on('error', reject);
    });
  }

  async code(
    wanted: { role?: PageRole; name?: string; org?: string | undefined; ttl_seconds?: number } = {},
  ): Promise<string> {
    const { status, body } = await this.send('POST', '/ui/api/codes', {}, wanted);
    if (status !== 200) throw new Error(`no code: ${status} ${JSON.stringify(body)}`);
    return body['code'] as string;
  }

  async visit(role: PageRole = 'operate', name = 'nina', org?: string): Promise<Visitor> {
    const { status, body, headers } = await this.send(
      'POST',
      '/ui/api/session',
      {},
      { code: await this.code({ role, name, org }) },
    );
    if (status !== 200) throw new Error(`no session: ${status} ${JSON.stringify(body)}`);
    return {
      cookie: headers['set-cookie']![0]!.split(';')[0]!,
      header: body['csrf'] as string,
      session: body,
    };
  }

  as({ cookie, header }: Visitor, method: string, rest: string, body?: unknown): Promise<Said> {
    return this.send(method, `/ui/api/${rest}`, { cookie, [PAGE_HEADER]: header }, body);
  }

  /** With its own id, like a click. */
  act(visitor: Visitor, rest: string, body: object = {}): Promise<Said> {
    return this.as(visitor, 'POST', rest, { action_id: randomUUID(), ...body });
  }
}
