import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FleetCall {
  method: string;
  path: string;
  body: unknown;
}

export interface FleetOptions {
  service?: string;
  /** By reference: the body of GET /houmao/agents/{ref}. */
  agents?: Record<string, Record<string, unknown>>;
  /** The status code and detail that refuse an attach. */
  refuseAttach?: [status: number, detail: string];
  /** How an attach changes a running gateway. */
  restarted?: object[];
}

/** The smallest fleet server: health, one lookup, and the gateway routes of the agents it knows. */
export class FleetServerDouble {
  readonly calls: FleetCall[] = [];
  readonly options: FleetOptions;
  #server = createServer((request, response) => {
    void this.#answer(request).then(([status, body]) => {
      response.statusCode = status;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
    });
  });
  #attached = new Set<string>();

  constructor(options: FleetOptions = {}) {
    this.options = options;
  }

  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage): Promise<[number, unknown]> {
    const { method = '', url = '' } = request;
    const text = (await request.toArray()).join('');
    const { service = 'houmao-server', agents = {}, refuseAttach } = this.options;
    if (url === '/health') return [200, { status: 'ok', houmao_service: service }];
    this.calls.push({ method, path: url, body: text === '' ? undefined : JSON.parse(text) });
    const [, ref = '', rest = ''] = /^\/houmao\/agents\/([^/]+)(.*)$/.exec(url) ?? [];
    const agent = agents[decodeURIComponent(ref)];
    if (!agent) return [404, { detail: `unknown agent ${ref}` }];
    if (rest === '') return [200, agent];
    if (service === 'houmao-passive-server' && method === 'POST')
      return [501, { detail: 'this server only watches' }];
    if (rest === '/gateway/attach' && refuseAttach) return [refuseAttach[0], { detail: refuseAttach[1] }];
    const restarted =
      rest === '/gateway/attach' && this.#attached.has(ref) ? (this.options.restarted ?? []) : [];
    if (rest === '/gateway/attach') this.#attached.add(ref);
    if (rest === '/gateway/detach') this.#attached.delete(ref);
    return [
      200,
      {
        gateway_health: this.#attached.has(ref) ? 'healthy' : 'not_attached',
        backend: 'houmao_server_rest',
        ...(rest === '/gateway/attach' && { restarted }),
      },
    ];
  }
}
