import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Emitter } from '../../../src/base/index.ts';

/** One verified delivery of a standard webhook. */
export interface Received {
  id: string;
  type: 'need.opened' | 'need.over';
  data: { notice_id: string; kind: string; agent: string | null; title: string; text?: string };
}

export type Behaviour = 'ok' | 'error' | 'hang' | 'redirect' | 'gone' | 'half';

/** A receiver of signed webhooks that may misbehave. It counts what it accepted: as a real one, it keeps each id once. */
export class Receiver {
  readonly accepted: Received[] = [];
  readonly came = new Emitter<void>();
  /** Requests whose signature was wrong. */
  forged = 0;
  /** Everything that arrived, accepted or not. */
  requests = 0;
  /** Those whose body was followed to another place. */
  followed = 0;
  behave: (nth: number) => Behaviour = () => 'ok';
  readonly #server: http.Server;
  readonly #seen = new Set<string>();
  secret = '';

  private constructor() {
    this.#server = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => this.#take(request, Buffer.concat(chunks).toString('utf8'), response));
    });
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** What a person would still see. */
  get showing(): string[] {
    const over = new Set(
      this.accepted.filter(({ type }) => type === 'need.over').map(({ data }) => data.notice_id),
    );
    return this.opened.filter(({ data }) => !over.has(data.notice_id)).map(({ data }) => data.notice_id);
  }

  get opened(): Received[] {
    return this.accepted.filter(({ type }) => type === 'need.opened');
  }

  #take(request: http.IncomingMessage, body: string, response: http.ServerResponse): void {
    if (request.url !== '/hook') {
      this.followed++;
      response.writeHead(200).end();
      return;
    }
    const behaviour = this.behave(++this.requests);
    if (behaviour === 'hang') return;
    if (behaviour === 'error') return void response.writeHead(500).end('no');
    if (behaviour === 'redirect') return void response.writeHead(307, { location: '/elsewhere' }).end();
    if (behaviour === 'gone') return void request.socket.destroy();
    const id = String(request.headers['webhook-id']);
    try {
      new Webhook(this.secret).verify(body, request.headers as Record<string, string>);
    } catch {
      this.forged++;
      response.writeHead(401).end();
      return;
    }
    if (!this.#seen.has(id)) {
      this.#seen.add(id);
      const { type, data } = JSON.parse(body) as Received;
      this.accepted.push({ id, type, data });
    }
    // Taken, and the sender never learns of it.
    if (behaviour === 'half') request.socket.destroy();
    else response.writeHead(204).end();
    this.came.emit();
  }
}
