import type * as http from 'node:http';
import { createRequire } from 'node:module';
import * as net from 'node:net';
import type { PushDevice } from '../../../src/notices/index.ts';

interface Model {
  subscribe(wanted: { userVisibleOnly: 'true'; applicationServerKey: string }): Promise<{
    endpoint: string;
    keys: { p256dh: string; auth: string };
    clientHash: string;
  }>;
  expireSubscription(clientHash: string): void;
  getNotifications(of: { clientHash: string }): { messages: string[] };
}

const require = createRequire(import.meta.url);

/** A push service that checks the signature of each message with the key of the browser, and decrypts it as the browser does. */
export class PushService {
  readonly #model: Model;
  readonly #server: { startServer(): void; _server: http.Server };
  #clientHash = '';

  private constructor(port: number) {
    const { PushApiModel } = require('web-push-testing/src/PushApiModel.js');
    const Server = require('web-push-testing/src/server.js');
    this.#model = new PushApiModel();
    this.#server = new Server(this.#model, port);
    this.#server.startServer();
  }

  static async start(): Promise<PushService> {
    const free = net.createServer().listen(0);
    const { port } = free.address() as net.AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const service = new PushService(port);
    if (!service.#server._server.listening)
      await new Promise<void>((resolve) => service.#server._server.once('listening', () => resolve()));
    return service;
  }

  /** A browser that accepts messages signed with this key. */
  async browser(publicKey: string): Promise<PushDevice> {
    const made = await this.#model.subscribe({ userVisibleOnly: 'true', applicationServerKey: publicKey });
    this.#clientHash = made.clientHash;
    return {
      ...{ endpoint: made.endpoint, p256dh: made.keys.p256dh, auth: made.keys.auth },
      ...{ person: 'operator', session: 's', name: 'Chrome on Linux', since_utc: '2026-01-01T00:00:00.000Z' },
    };
  }

  /** What the browser received, decrypted. */
  get received(): Record<string, unknown>[] {
    return this.#model
      .getNotifications({ clientHash: this.#clientHash })
      .messages.map((each) => JSON.parse(each) as Record<string, unknown>);
  }

  /** The person has turned it off in the browser. */
  end(): void {
    this.#model.expireSubscription(this.#clientHash);
  }

  async stop(): Promise<void> {
    this.#server._server.closeAllConnections();
    await new Promise((resolve) => this.#server._server.close(resolve));
  }
}
