import type { Client, Notification } from 'pg';
import { type Clock, Emitter, unavailable } from '../base/index.ts';
import { sqlError } from './sql-errors.ts';

type Receive = (payload: string | undefined) => void;

const MAX_PAUSE_MS = 5_000;

/**
 * One connection that receives NOTIFY for all listeners, open while there are any. A lost connection is made again with
 * growing pauses. Then every listener is notified that it may have missed something.
 */
export class PostgresListener {
  #make: () => Client;
  #clock: Clock;
  #channels = new Map<string, Emitter<string | undefined>>();
  #client: Client | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #cancelRetry: (() => void) | undefined;
  #failures = 0;
  #closed = false;

  constructor(make: () => Client, clock: Clock) {
    this.#make = make;
    this.#clock = clock;
  }

  async listen(channel: string, receive: Receive): Promise<() => Promise<void>> {
    let stop = (): void => {};
    await this.#inTurn(async () => {
      if (this.#closed) throw unavailable('the database is closed');
      const client = this.#client ?? (await this.#connect());
      await client.query(`LISTEN ${channel}`);
      const listeners = this.#channels.get(channel) ?? new Emitter();
      this.#channels.set(channel, listeners);
      stop = listeners.on(receive);
    });
    return () => {
      stop();
      return this.#inTurn(() => this.#forgetUnused(channel));
    };
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry?.();
    return this.#inTurn(async () => {
      this.#channels.clear();
      await this.#disconnect();
    });
  }

  async #forgetUnused(channel: string): Promise<void> {
    if (this.#channels.get(channel)?.listenerCount !== 0) return;
    this.#channels.delete(channel);
    if (this.#channels.size === 0) await this.#disconnect();
    // A connection that just broke has no channels left.
    else await this.#client?.query(`UNLISTEN ${channel}`).catch(() => {});
  }

  /** Runs changes of the connection one after another. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    try {
      return await mine;
    } catch (error) {
      throw sqlError(error);
    }
  }

  async #connect(): Promise<Client> {
    const client = this.#make();
    client.on('error', () => {});
    client.on('notification', (notice) => this.#dispatch(notice));
    try {
      await client.connect();
      for (const channel of this.#channels.keys()) await client.query(`LISTEN ${channel}`);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    client.on('end', () => {
      if (this.#client === client) this.#lost();
    });
    this.#client = client;
    this.#failures = 0;
    return client;
  }

  #lost(): void {
    this.#client = undefined;
    if (this.#closed || this.#channels.size === 0) return;
    const pause = Math.min(MAX_PAUSE_MS, 50 * 2 ** this.#failures++);
    this.#cancelRetry = this.#clock.after(pause, () => void this.#retry());
  }

  async #retry(): Promise<void> {
    const again = this.#inTurn(async () => {
      if (this.#closed || this.#client || this.#channels.size === 0) return;
      await this.#connect();
      for (const listeners of [...this.#channels.values()]) listeners.emit(undefined);
    });
    await again.catch(() => this.#lost());
  }

  #dispatch({ channel, payload }: Notification): void {
    this.#channels.get(channel)?.emit(payload ?? '');
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#cancelRetry?.();
    await client?.end().catch(() => {});
  }
}
