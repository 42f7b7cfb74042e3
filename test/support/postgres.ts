import { type ChildProcess, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { type Account, spawnDyingWithUs } from './dying-with-us.ts';

const run = promisify(execFile);

/** The PostgreSQL server of one test: own directory, own Unix socket, no TCP port. Many can run at the same time. */
export interface TestPostgres {
  /** A database of the server, not used for anything else. */
  readonly url: string;
  readonly directory: string;
  readonly pid: number;
  /** Makes an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Stops the server as an administrator would and starts it again on the same data. */
  restart(): Promise<void>;
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
  /** Stops the server and removes its directory. */
  stop(): Promise<void>;
}

const USER = 'rouse';

/** Starts a private server; it ends with stop(), and by itself when this process dies. */
export async function startPostgres({ fsync = false } = {}): Promise<TestPostgres> {
  const bin = findServerBinaries();
  const account = serverAccount();
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-pg-'));
  if (account) fs.chownSync(directory, account.uid, account.gid);
  const server = new Server(bin, directory, { account, fsync });
  try {
    await server.initialise();
    await server.startServer();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The newest installed server of version 15 or newer. Without one, tests fail and say what to install. */
export function findServerBinaries(): string {
  const debian = '/usr/lib/postgresql';
  const versions = fs.existsSync(debian) ? fs.readdirSync(debian).filter((name) => Number(name) >= 15) : [];
  const places = [
    ...versions.sort((a, b) => Number(b) - Number(a)).map((version) => path.join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(path.delimiter),
    '/usr/local/pgsql/bin',
    '/usr/pgsql-15/bin',
    '/opt/homebrew/opt/postgresql@15/bin',
  ];
  const found = places.find((place) =>
    ['postgres', 'initdb'].every((name) => fs.existsSync(path.join(place, name))),
  );
  if (found) return found;
  throw new Error(
    'these tests need the PostgreSQL server programs (postgres, initdb), version 15 or newer; install them with "apt-get install postgresql" (Debian, Ubuntu) or put their directory into PATH',
  );
}

/** PostgreSQL refuses to run as root, so root runs it under another account. */
function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const entry = ['postgres', 'nobody']
    .map((name) => accounts.find((fields) => fields[0] === name))
    .find(Boolean);
  if (!entry)
    throw new Error('PostgreSQL cannot run as root, and there is no user postgres or nobody to run it as');
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

class Server implements TestPostgres {
  readonly directory: string;
  #bin: string;
  #account: Account | undefined;
  #fsync: boolean;
  #process: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(
    bin: string,
    directory: string,
    { account, fsync }: { account: Account | undefined; fsync: boolean },
  ) {
    this.#bin = bin;
    this.directory = directory;
    this.#account = account;
    this.#fsync = fsync;
  }

  get url(): string {
    return this.#urlOf('postgres');
  }

  get pid(): number {
    const pid = this.#process?.pid;
    if (pid === undefined) throw new Error('the server does not run');
    return pid;
  }

  /** Initialising takes a second of processor time, so all tests of this machine and version copy one. */
  async initialise(): Promise<void> {
    const { uid } = this.#account ?? { uid: process.getuid?.() ?? 0 };
    const template = path.join(os.tmpdir(), `rouse-test-postgres-${this.#bin.replaceAll('/', '-')}-${uid}`);
    if (!fs.existsSync(template)) await this.#makeTemplate(template);
    await run('cp', ['-a', template, this.#data]);
  }

  async #makeTemplate(template: string): Promise<void> {
    const made = path.join(this.directory, 'template');
    const options = ['-D', made, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    await run(path.join(this.#bin, 'initdb'), options, { ...this.#account, cwd: this.directory });
    try {
      fs.renameSync(made, template);
    } catch (error) {
      // Another test was faster.
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }

  async startServer(): Promise<void> {
    const settings = [
      'listen_addresses=',
      `unix_socket_directories=${this.directory}`,
      `fsync=${this.#fsync ? 'on' : 'off'}`,
      'max_connections=50',
    ];
    const command = [
      path.join(this.#bin, 'postgres'),
      ...['-D', this.#data],
      ...settings.flatMap((setting) => ['-c', setting]),
    ];
    const child = spawnDyingWithUs(command, { cwd: this.directory, account: this.#account });
    this.#process = child;
    let output = '';
    this.#ended = new Promise((resolve) => child.once('close', () => resolve()));
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => reject(new Error(`PostgreSQL ended (${code}) at its start:\n${output}`)));
      child.stderr?.on('data', (chunk) => {
        output = (output + chunk).slice(-10_000);
        if (output.includes('ready to accept connections')) resolve();
      });
    });
  }

  async stopServer(): Promise<void> {
    // SIGINT is PostgreSQL's fast shutdown: it ends sessions, then itself.
    this.#process?.kill('SIGINT');
    await this.#ended;
    this.#process = undefined;
  }

  async restart(): Promise<void> {
    await this.stopServer();
    await this.startServer();
  }

  async createDatabase(): Promise<string> {
    const name = `t${randomBytes(6).toString('hex')}`;
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      await client.query(`CREATE DATABASE ${name}`);
    } finally {
      await client.end();
    }
    return this.#urlOf(name);
  }

  async stop(): Promise<void> {
    await this.stopServer();
    fs.rmSync(this.directory, { recursive: true, force: true });
  }

  get #data(): string {
    return path.join(this.directory, 'data');
  }

  #urlOf(database: string): string {
    return `postgresql://${USER}@localhost/${database}?host=${encodeURIComponent(this.directory)}`;
  }
}
