import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { expect } from 'vitest';
import { isRouseError } from '../../src/base/index.ts';
import { FleetClient, readTokenFile, TicketsClient } from '../../src/client/index.ts';
import { openEmbedded } from '../../src/db/index.ts';
import { serverFiles } from '../../src/fleet/index.ts';
import { TEMPLATES } from '../support/fleet.ts';
import { Tally } from './tally.ts';

const BIN = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');
const TICKS_A_SECOND = 100;
const WAIT = { timeout: 90_000, interval: 100 };

/** How it is started: words before node, options of node, environment variables. */
export interface FleetStart {
  home: string;
  words?: string[];
  node?: string[];
  env?: Record<string, string>;
}

/** A fleet server on its embedded database, in its own process whose writes are refused, and a client. */
export class FleetUnderTest {
  readonly tally = new Tally();
  /** Requests that were refused with a sentence. */
  refused = 0;
  readonly url: string;
  #child: ChildProcess;
  #owner: FleetClient;
  #tickets: TicketsClient;

  private constructor(child: ChildProcess, url: string, tickets: TicketsClient) {
    this.#child = child;
    this.url = url;
    this.#owner = new FleetClient({ url });
    this.#tickets = tickets;
  }

  static async start({ home, words = [], node = [], env = {} }: FleetStart): Promise<FleetUnderTest> {
    const { database } = serverFiles(home);
    await (await openEmbedded({ directory: database, templateDirectory: TEMPLATES })).close();
    const log = fs.openSync(path.join(home, 'server.log'), 'a');
    const all = [...words, process.execPath, ...node, BIN, 'server', 'start', '--port', '0', '--print-json'];
    const child = spawn(all[0]!, all.slice(1), {
      env: { PATH: process.env['PATH'], HOME: home, ROUSE_HOME: home, ...env },
      stdio: ['ignore', 'pipe', log],
    });
    fs.closeSync(log);
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    const { url, admin_token_file } = JSON.parse(String(line)) as { url: string; admin_token_file: string };
    const admin = new FleetClient({ url, token: readTokenFile(admin_token_file) });
    const { token } = await admin.createToken({ kind: 'user', subject: 'ana' });
    const user = new FleetClient({ url, token, timeoutMs: 20_000 });
    await user.register({ agent_id: 'bob', name: 'bob', session_id: 'one' });
    return new FleetUnderTest(child, url, new TicketsClient(user));
  }

  health() {
    return this.#owner.call('health', {});
  }

  /** Waits until its health reports a trouble. */
  async isDegraded(): Promise<void> {
    await expect
      .poll(() => this.health(), WAIT)
      .toMatchObject({
        status: 'degraded',
        pid: this.pid,
        reasons: expect.arrayContaining([expect.any(String)]),
      });
  }

  /** Waits until it has recovered by itself: only its health is asked for. */
  recovers() {
    return expect.poll(() => this.health(), WAIT).toMatchObject({ status: 'ok', reasons: [], pid: this.pid });
  }

  /** Returns the id, or undefined if it was refused. */
  async ask(title: string): Promise<string | undefined> {
    try {
      const task = { kind: 'task', recipient_type: 'agent', recipient_id: 'bob', title } as const;
      return (await this.#tickets.create({ ...task, idempotency_key: title })).request_id;
    } catch (error) {
      if (!isRouseError(error) || error.code !== 'unavailable') throw error;
      expect(error).toMatchObject({ hint: expect.stringMatching(/.{10}/), facts: { http_status: 503 } });
      this.refused++;
      return undefined;
    }
  }

  /** Accepted requests exist once under their id; refused ones are accepted when repeated, and exist once. */
  async isThereOnce(title: string, accepted: string | undefined): Promise<void> {
    const again = await this.ask(title);
    const { requests } = await this.#tickets.sent({ limit: 100 });
    const ids = requests.filter((each) => each.title === title).map(({ id }) => id);
    this.tally.once(title, ids.length);
    expect([title, ids]).toEqual([title, [accepted ?? again]]);
  }

  lives(): void {
    this.tally.lives('the fleet server', this.pid);
  }

  /** The processor time it has used, in seconds. */
  processorSeconds(): number {
    const stat = fs.readFileSync(`/proc/${this.pid}/stat`, 'utf8');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    return (user! + system!) / TICKS_A_SECOND;
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL');
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
  }

  get pid(): number {
    return this.#child.pid!;
  }
}
