import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock, identifyProcess } from '../../base/index.ts';
import { SessionLog } from '../signals/session-log.ts';
import { CODEX_ROLLOUT } from './rollout.ts';

let directory: string;
let clock: FakeClock;
let reader: SessionLog;
let open: number[];
let seconds: number;

beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rollout-'));
  clock = new FakeClock();
  reader = new SessionLog(CODEX_ROLLOUT, clock, () => {});
  open = [];
  seconds = 0;
});

afterEach(() => {
  reader.close();
  for (const fd of open) fs.closeSync(fd);
  fs.rmSync(directory, { recursive: true });
});

/** A log this process holds open, as Codex does. Each write makes it newer than all others. */
function rollout(name: string, source: unknown = 'cli'): (...payloads: object[]) => void {
  const fd = fs.openSync(path.join(directory, `rollout-${name}.jsonl`), 'a+');
  open.push(fd);
  const line = (type: string, payload: object): void => {
    fs.writeSync(fd, `${JSON.stringify({ timestamp: clock.now().toISOString(), type, payload })}\n`);
    fs.futimesSync(fd, 1, ++seconds);
  };
  line('session_meta', { id: name, cwd: '/w', source, base_instructions: { text: 'x'.repeat(20_000) } });
  return (...payloads) => {
    for (const payload of payloads) line('event_msg', payload);
  };
}

async function currentState(): Promise<string | undefined> {
  await clock.advance(1_000);
  return reader.read()[0]?.state;
}

const started = { type: 'task_started' };
const complete = { type: 'task_complete' };
const item = (text: string): object => ({
  type: 'item_completed',
  item: { type: 'UserMessage', content: [{ type: 'text', text, text_elements: [] }] },
});

describe("the log of Codex's conversation", () => {
  it("codex's log proves a prompt, as older and newer versions write it", () => {
    rollout('a')(started, { type: 'user_message', message: 'old way' }, item('new way\nin lines'));
    reader.follow(identifyProcess(process.pid));
    const since = clock.now().getTime();
    expect(reader.received('old way', since)?.source).toBe('rollout');
    expect(reader.received('new way\nin lines', since)?.source).toBe('rollout');
    expect(reader.received('another way', since)).toBeUndefined();
    expect(reader.received('old way', since + 1)).toBeUndefined();
  });

  it("codex's current log is that of the newest chat, although the log of the chat before stays open", async () => {
    const first = rollout('a');
    first(started, complete);
    reader.follow(identifyProcess(process.pid));
    expect(await currentState()).toBe('idle');
    rollout('b')(started);
    expect(await currentState()).toBe('busy');
  });

  it("codex's current log is not that of a subagent", async () => {
    rollout('a')(started);
    rollout('b', { subagent: { thread_spawn: { parent_thread_id: 'a' } } })(started, complete);
    reader.follow(identifyProcess(process.pid));
    expect(await currentState()).toBe('busy');
  });

  it("codex's log shows a turn that wrote hundreds of events", async () => {
    const write = rollout('a');
    write(started, ...Array.from({ length: 500 }, () => ({ type: 'token_count' })));
    reader.follow(identifyProcess(process.pid));
    expect(await currentState()).toBe('busy');
  });

  it("unknown lines in codex's log are skipped", async () => {
    const write = rollout('a');
    write(started);
    fs.writeSync(open[0]!, 'null\n[1]\n{"type":"event_msg"}\n{"type":"event_msg","payload":7}\nhalf a li\n');
    write(
      { type: 'item_completed' },
      { type: 'item_completed', item: { type: 'UserMessage', content: 'x' } },
    );
    reader.follow(identifyProcess(process.pid));
    expect(await currentState()).toBe('busy');
    expect(reader.received('x', 0)).toBeUndefined();
  });
});

describe("the log of a conversation that codex's daemon keeps", () => {
  const programs: ChildProcess[] = [];

  afterEach(async () => {
    for (const program of programs.splice(0)) {
      program.kill('SIGKILL');
      await once(program, 'exit');
    }
  });

  /** A process that works here and holds these files open. */
  async function program(cwd: string, held: string[] = []): Promise<number> {
    const hold = held.map((file, at) => `exec ${at + 3}>>'${file}'; `).join('');
    const env = { ...process.env, CODEX_HOME: directory };
    const started = spawn('bash', ['-c', `${hold}echo up; read`], {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    programs.push(started);
    await once(started.stdout!, 'data');
    return started.pid!;
  }

  const fileOf = (name: string): string => path.join(directory, `rollout-${name}.jsonl`);

  function log(name: string, cwd: string, ...payloads: object[]): void {
    const timestamp = new Date(Date.now() + 3_600_000).toISOString();
    const lines = [{ type: 'session_meta', payload: { id: name, cwd, source: 'vscode' } }].concat(
      payloads.map((payload) => ({ type: 'event_msg', payload }) as never),
    );
    for (const line of lines) fs.appendFileSync(fileOf(name), `${JSON.stringify({ timestamp, ...line })}\n`);
  }

  async function daemon(names: string[]): Promise<void> {
    const identity = identifyProcess(await program('/', names.map(fileOf)))!;
    const noted = { pid: identity.pid, processIdentity: identity };
    fs.mkdirSync(path.join(directory, 'app-server-daemon'));
    fs.writeFileSync(path.join(directory, 'app-server-daemon', 'daemon.pid'), JSON.stringify(noted));
  }

  it('the log that the codex daemon keeps is the one begun in the directory of the process', async () => {
    const tool = await program(directory);
    log('elsewhere', '/w', started);
    log('here', directory, started, item('look at your mail'), complete);
    await daemon(['elsewhere', 'here']);
    reader.follow(identifyProcess(tool));
    expect(await currentState()).toBe('idle');
    expect(reader.received('look at your mail', 0)?.facts['file']).toBe(fileOf('here'));
  });

  it('of several logs that the codex daemon keeps, the one with exactly our text is used', async () => {
    const tool = await program(directory);
    log('a', directory, started, item('for another'));
    log('b', directory, started, item('look at your mail'), complete);
    await daemon(['a', 'b']);
    reader.follow(identifyProcess(tool));
    expect(await currentState()).toBeUndefined();
    expect(reader.received('look at your mail', 0)?.facts['file']).toBe(fileOf('b'));
    expect(reader.turnEnd('look at your mail', 0)?.result).toBe('success');
  });

  it('a log of the codex daemon that is older than the process is not used', async () => {
    log('a', directory, started);
    fs.utimesSync(fileOf('a'), 1, 1);
    const tool = await program(directory);
    await daemon(['a']);
    reader.follow(identifyProcess(tool));
    expect(await currentState()).toBeUndefined();
  });

  it('a process with the number of an ended codex daemon is not used', async () => {
    const tool = await program(directory);
    log('a', directory, started);
    await daemon(['a']);
    const file = path.join(directory, 'app-server-daemon', 'daemon.pid');
    const noted = JSON.parse(fs.readFileSync(file, 'utf8')) as { processIdentity: { startTicks: number } };
    noted.processIdentity.startTicks--;
    fs.writeFileSync(file, JSON.stringify(noted));
    reader.follow(identifyProcess(tool));
    expect(await currentState()).toBeUndefined();
  });
});
