import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '../../src/db/index.ts';
import { Sqlite } from '../../src/db/sqlite/sqlite-connection.ts';
import { FLEET_MIGRATIONS } from '../../src/fleet/schema/index.ts';
import { differences, FILE_MODELS } from '../houmao/models.ts';
import { TEMPLATES } from '../support/fleet.ts';

const STATES = path.join(import.meta.dirname, 'states');
const SCRIPTED = path.resolve(import.meta.dirname, '../../dist/scripted-agent.js');
const BIN = path.resolve(import.meta.dirname, '../../bin/rouse');
const LATER = { timeout: 90_000, interval: 200 };

interface FleetState {
  steps: { id: string; sql: string }[];
  rows: Record<string, unknown[]>;
}

/** As if the machine had stopped a moment ago, whatever the archive's age: a lease lasts a day. */
function renewLease(file: string): void {
  const record = JSON.parse(fs.readFileSync(file, 'utf8'));
  const lease = Date.parse(record.lease_expires_at) - Date.parse(record.published_at);
  record.published_at = new Date().toISOString();
  record.lease_expires_at = new Date(Date.now() + lease).toISOString();
  fs.writeFileSync(file, JSON.stringify(record));
}

/** The state that a version left when its machine stopped, in a separate place. */
class Left {
  readonly place = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-upgrade-'));
  readonly env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: this.place,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    ROUSE_HOME: this.at('state'),
    ROUSE_TMUX_SOCKET: this.at('tmux'),
  };

  constructor(archive: string) {
    execFileSync('tar', ['-xzf', archive, '-C', this.place]);
    const before = fs.readFileSync(this.at('place.txt'), 'utf8');
    for (const file of this.#files()) {
      const text = fs.readFileSync(file, 'utf8').replaceAll(before, this.place);
      // The place of that version's program; here it is the current one.
      fs.writeFileSync(file, text.replaceAll(/\/[\w./-]+\/dist\/scripted-agent\.c?js/g, SCRIPTED));
      if (path.basename(file) === 'record.json') renewLease(file);
    }
  }

  at(...names: string[]): string {
    return path.join(this.place, ...names);
  }

  #files(): string[] {
    return fs
      .readdirSync(this.place, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(json|sh|journal)$/.test(name))
      .map((name) => this.at(name));
  }

  rouse(...words: string[]): Promise<{ code: number; out: string; err: string }> {
    return new Promise((resolve) => {
      execFile(BIN, words, { env: this.env, cwd: this.place }, (error, out, err) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
      });
    });
  }

  async json(...words: string[]) {
    const { code, out, err } = await this.rouse(...words, '--json');
    expect([words.join(' '), code, err]).toEqual([words.join(' '), 0, expect.any(String)]);
    return JSON.parse(out);
  }

  /** The directory of an agent's session. */
  root(name: string): string {
    const sessions = this.at('state', 'runtime', 'sessions', 'local_interactive');
    const roots = fs.readdirSync(sessions).map((each) => path.join(sessions, each));
    return roots.find(
      (root) => JSON.parse(fs.readFileSync(`${root}/manifest.json`, 'utf8')).agent_name === name,
    )!;
  }

  read(name: string, ...names: string[]) {
    return JSON.parse(fs.readFileSync(path.join(this.root(name), ...names), 'utf8'));
  }

  /** How the published files differ from the source's field lists. */
  wrongFiles(name: string): string[] {
    const { agent_id } = this.read(name, 'manifest.json');
    const files = {
      'manifest.json': FILE_MODELS.manifest,
      'gateway/desired-config.json': FILE_MODELS.desired_config,
      'gateway/state.json': FILE_MODELS.state,
      'gateway/run/current-instance.json': FILE_MODELS.current_instance,
      [path.relative(this.root(name), this.at('state/registry/live_agents', agent_id, 'record.json'))]:
        FILE_MODELS.registry_record,
    };
    return Object.entries(files).flatMap(([file, model]) =>
      differences(model, this.read(name, file)).map((each) => `${file}: ${each}`),
    );
  }

  async end(): Promise<void> {
    for (const name of ['ana', 'ben']) await this.rouse('stop', name);
    await this.rouse('down');
    fs.rmSync(this.place, { recursive: true, force: true, maxRetries: 5 });
  }
}

describe.each(fs.readdirSync(STATES))('the state that %s left', (archive) => {
  const left = new Left(path.join(STATES, archive));
  afterAll(() => left.end(), 60_000);

  it('the state an earlier version left has all of its mail, and what is open stays open', async () => {
    const box = async (name: string): Promise<string[]> => {
      const words = ['mail', 'list', '--address', 'ana@houmao.localhost', '--box', name];
      const { messages } = await left.json(...words);
      return messages.map(({ subject }: { subject: string }) => subject);
    };
    expect([await box('archive'), await box('inbox')]).toEqual([['handled'], ['open']]);
    expect(await left.rouse('mailbox', 'repair')).toMatchObject({ code: 0 });
    expect([await box('archive'), await box('inbox')]).toEqual([['handled'], ['open']]);
  });

  it('the state an earlier version left has its flat mailbox and its archive, and knows what it has seen', async () => {
    const mailbox = ['--mailbox', left.at('work', '.agent', 'inbox.md')];
    const { messages } = await left.json('mailfile', 'list', ...mailbox);
    expect(messages.map((each: { msg_id: string }) => each.msg_id)).toEqual(['second']);
    expect((await left.rouse('mailfile', 'show', ...mailbox, '--msg-id', 'first')).out).toContain(
      'please look',
    );
    expect(await left.rouse('mailfile', 'fsck', ...mailbox)).toMatchObject({ code: 0 });
  });

  it('the state an earlier version left has its agents: one is brought back with its queue, its reminders and its wakes, and handles its mail', async () => {
    const { agents } = await left.json('agents', 'list');
    expect(agents.map((each: { agent_name: string }) => each.agent_name)).toEqual(['ana', 'ben']);
    // Killed between its two writes: nothing is lost, and the next one continues.
    left.env['ROUSE_CRASH_AT'] = 'session.manifest.beside';
    expect((await left.rouse('agents', 'relaunch', 'ana')).code).toBe(-1);
    delete left.env['ROUSE_CRASH_AT'];
    await left.json('agents', 'relaunch', 'ana');
    await left.json('agents', 'gateway', 'attach', 'ana', '--background');
    expect(left.wrongFiles('ana')).toEqual([]);
    expect(left.read('ana', 'manifest.rouse.json')['tmux']).toEqual({ socket: left.at('tmux') });
    const { requests } = await left.json('agents', 'gateway', 'requests', 'list', 'ana');
    expect(requests.map((each: { request_kind: string }) => each.request_kind)).toContain(
      'mail_notifier_prompt',
    );
    const { reminders } = await left.json('agents', 'gateway', 'reminders', 'list', 'ana');
    expect(reminders.map((each: { title: string }) => each.title)).toEqual(['later']);
    const archive = ['mail', 'list', '--address', 'ana@houmao.localhost', '--box', 'archive'];
    await expect.poll(async () => (await left.rouse(...archive)).out, LATER).toMatch(/\bopen\b/);
  });

  it('the state an earlier version left has its fleet: the released steps are unchanged, and its rows are served', async () => {
    const { steps, rows } = JSON.parse(fs.readFileSync(left.at('fleet.json'), 'utf8')) as FleetState;
    expect(FLEET_MIGRATIONS.slice(0, steps.length)).toEqual(steps);
    await restoreFleet(left.at('state', 'server', 'database'), { steps, rows });
    const server = spawn(BIN, ['server', 'start', '--port', '0', '--json'], {
      env: left.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(server, 'exit');
    try {
      const [line] = await once(createInterface({ input: server.stdout }), 'line');
      left.env['ROUSE_FLEET_URL'] = JSON.parse(line).url;
      const { requests } = await left.json('requests', 'sent');
      expect(requests.map((each: { title: string }) => each.title)).toEqual(['Review the parser']);
    } finally {
      server.kill('SIGTERM');
      await ended;
    }
  });
});

describe('what a newer version wrote is refused in a sentence, and left as it is', () => {
  const anas = (left: Left, ...names: string[]): string => path.join(left.root('ana'), ...names);
  const step = (file: string): void => {
    const db = new Sqlite({ file });
    db.run("INSERT INTO schema_migrations VALUES (999, 'of-the-future', '2100-01-01T00:00:00Z')");
    db.close();
  };
  const number = (file: string): void => {
    const document = JSON.parse(fs.readFileSync(file, 'utf8'));
    fs.writeFileSync(file, JSON.stringify({ ...document, schema_version: document.schema_version + 1 }));
  };
  const mail = ['mail', 'list', '--address', 'ana@houmao.localhost'];
  const CASES: [string, (left: Left) => string, (file: string) => void, string[][]][] = [
    [
      'the index of mail',
      (left) => left.at('state', 'mailbox', 'index.sqlite'),
      step,
      [mail, ['mailbox', 'repair']],
    ],
    [
      'the mail store',
      (left) => left.at('state', 'mailbox', 'protocol-version.txt'),
      (file) => fs.writeFileSync(file, '2\n'),
      [mail, ['mailbox', 'repair'], ['mailbox', 'init']],
    ],
    ['the queue', (left) => anas(left, 'gateway', 'queue.sqlite'), step, [['why', 'ana']]],
    [
      'the manifest',
      (left) => anas(left, 'manifest.json'),
      number,
      [
        ['agents', 'relaunch', 'ana'],
        ['stop', 'ana'],
      ],
    ],
  ];
  it.each(CASES)('%s', async (_, find, spoil, commands) => {
    const left = new Left(path.join(STATES, fs.readdirSync(STATES).at(-1)!));
    try {
      const file = find(left);
      spoil(file);
      const before = fs.readFileSync(file);
      for (const words of commands) {
        const { code, err } = await left.rouse(...words);
        expect([words.join(' '), code, err]).toEqual([
          words.join(' '),
          6,
          expect.stringMatching(/another version|newer version|this version uses/),
        ]);
      }
      expect(fs.readFileSync(file).equals(before)).toBe(true);
    } finally {
      await left.end();
    }
  });
});

/** A database of that version: its steps, their record, and its rows. */
async function restoreFleet(directory: string, { steps, rows }: FleetState): Promise<void> {
  const sql = await openEmbedded({ directory, templateDirectory: TEMPLATES });
  await sql.transaction(async (tx) => {
    await tx.exec(`CREATE TABLE schema_migrations (position int PRIMARY KEY, id text NOT NULL UNIQUE,
      checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
    for (const step of steps) await tx.exec(step.sql);
    await tx.exec('SET LOCAL session_replication_role = replica');
    for (const [table, each] of Object.entries(rows)) {
      const { rows: columns } = await tx.query<{ list: string }>(
        `SELECT string_agg(quote_ident(column_name), ', ') AS list FROM information_schema.columns
          WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER'`,
        [table],
      );
      const { list } = columns[0]!;
      await tx.exec(`DELETE FROM "${table}"`);
      await tx.query(
        `INSERT INTO "${table}" (${list}) OVERRIDING SYSTEM VALUE
          SELECT ${list} FROM json_populate_recordset(null::"${table}", $1::json)`,
        [JSON.stringify(each)],
      );
    }
  });
  await sql.close();
}
