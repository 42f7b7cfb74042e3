import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { FleetClient, readTokenFile } from '../../src/client/index.ts';
import { openEmbedded } from '../../src/db/index.ts';
import { serverFiles } from '../../src/fleet/index.ts';
import { TEMPLATES } from '../support/fleet.ts';

const BIN = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');

/** `rouse server start` in its own process and home, killed and started again by the test. */
export class ServerProcess {
  readonly home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-mail-server-'));
  readonly adminToken = serverFiles(this.home).adminToken;
  readonly #databaseUrl: string;
  #child: ChildProcess | undefined;
  /** Stays the same after each start. */
  url = '';

  constructor(databaseUrl = '') {
    this.#databaseUrl = databaseUrl;
  }

  get admin(): FleetClient {
    return new FleetClient({ url: this.url, token: readTokenFile(this.adminToken) });
  }

  async start(crashAt?: string): Promise<void> {
    const { database } = serverFiles(this.home);
    if (this.#databaseUrl === '' && !fs.existsSync(database))
      await (await openEmbedded({ directory: database, templateDirectory: TEMPLATES })).close();
    const port = this.url === '' ? '0' : new URL(this.url).port;
    const child = spawn(process.execPath, [BIN, 'server', 'start', '--port', port, '--print-json'], {
      env: {
        ...process.env,
        HOME: this.home,
        ROUSE_HOME: this.home,
        ROUSE_FLEET_URL: '',
        DATABASE_URL: this.#databaseUrl,
        ...(crashAt && { ROUSE_CRASH_AT: crashAt }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    let errors = '';
    child.stderr!.on('data', (part) => {
      errors = (errors + part).slice(-5000);
    });
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout!.once('data', (part) => resolve(String(part)));
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${errors}`)));
    });
    this.url = (JSON.parse(line) as { url: string }).url;
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  /** Resolves when it has died. */
  async died(): Promise<void> {
    const child = this.#child!;
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  async end(): Promise<void> {
    await this.kill();
    fs.rmSync(this.home, { recursive: true, force: true });
  }
}
