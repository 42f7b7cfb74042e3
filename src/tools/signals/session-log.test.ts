import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock, identifyProcess } from '../../base/index.ts';
import { copilot } from '../copilot.ts';
import { kimi } from '../kimi.ts';
import type { Tool } from '../tool.ts';
import type { SignalReader } from './signal-reader.ts';

let directory: string;
let clock: FakeClock;
let tool: ChildProcess;
let reader: SignalReader;

beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'session-log-'));
  clock = new FakeClock();
});

afterEach(async () => {
  reader.close();
  tool.kill('SIGKILL');
  await once(tool, 'exit');
  fs.rmSync(directory, { recursive: true });
});

/** A process that holds these files open, in place of the tool. */
async function follow({ signals }: Tool, held: string[] = []): Promise<void> {
  const hold = held.map((file, at) => `exec ${at + 3}>>'${file}'; `).join('');
  tool = spawn('bash', ['-c', `${hold}echo up; read`], {
    cwd: directory,
    env: { ...process.env, KIMI_CODE_HOME: directory },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  await once(tool.stdout!, 'data');
  const place = { sessionRoot: directory, fact: () => undefined, home: undefined };
  reader = signals!({ ...place, clock, changed: () => {} })[0]!;
  reader.follow!(identifyProcess(tool.pid!));
}

async function currentState(): Promise<string | undefined> {
  await clock.advance(1_000);
  return reader.read()[0]?.state;
}

const LATER = 3_600_000;

describe('what Kimi Code records of a session', () => {
  const wire = (session: string): string => path.join(directory, session, 'agents', 'main', 'wire.jsonl');

  function record(session: string, ...events: [type: string, more?: object][]): void {
    const file = wire(session);
    if (!fs.existsSync(file)) {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      const entry = { sessionId: session, sessionDir: path.join(directory, session), workDir: directory };
      fs.appendFileSync(path.join(directory, 'session_index.jsonl'), `${JSON.stringify(entry)}\n`);
    }
    for (const [type, more] of events)
      fs.appendFileSync(file, `${JSON.stringify({ type, time: Date.now() + LATER, ...more })}\n`);
  }

  it('the record of Kimi Code shows turns and compaction from their start to their end', async () => {
    await follow(kimi);
    expect(await currentState()).toBeUndefined();
    record('a', ['turn.prompt', { input: [{ type: 'text', text: 'look at your mail' }] }]);
    expect(await currentState()).toBe('busy');
    expect(reader.received!('look at your mail', 0)?.source).toBe('session_log');
    record('a', ['context.append_message'], ['turn.ended', { reason: 'cancelled' }]);
    await expect.poll(currentState).toBe('idle');
    record('a', ['full_compaction.begin']);
    await expect.poll(currentState).toBe('busy');
    record('a', ['full_compaction.complete']);
    await expect.poll(currentState).toBe('idle');
  });

  it('the record of Kimi Code has no state from a turn in which an earlier process died', async () => {
    record('a', ['turn.prompt', { time: Date.now() - LATER, input: [] }]);
    await follow(kimi);
    fs.utimesSync(wire('a'), new Date(), new Date(Date.now() + LATER));
    expect(await currentState()).toBeUndefined();
  });

  it('the record of Kimi Code has no state if two sessions were written in the same directory', async () => {
    await follow(kimi);
    record('a', ['turn.prompt', { input: [] }]);
    expect(await currentState()).toBe('busy');
    record('b', ['turn.ended']);
    expect(await currentState()).toBeUndefined();
  });

  it('with two sessions, a record of Kimi Code proves a prompt with exactly this text, but has no state', async () => {
    await follow(kimi);
    const prompt = (text: string): [string, object] => ['turn.prompt', { input: [{ type: 'text', text }] }];
    record('a', prompt('for the first'), prompt('for both'));
    record('b', prompt('for the second'), prompt('for both'));
    expect(await currentState()).toBeUndefined();
    expect(reader.received!('for no one', 0)).toBeUndefined();
    expect(reader.received!('for both', 0)).toBeUndefined();
    expect(reader.received!('for the second', 0)?.facts['file']).toBe(wire('b'));
    expect(reader.received!('for the second', Date.now() + 2 * LATER)).toBeUndefined();
    expect(reader.conversation!()).toBe('b');
    record('b', ['turn.ended']);
    expect(await currentState()).toBeUndefined();
  });
});

describe('the events of a Copilot session', () => {
  function session(name: string): { hold: string; events: string } {
    const place = path.join(directory, 'session-state', name);
    fs.mkdirSync(place, { recursive: true });
    return { hold: path.join(place, 'inuse.1.hold'), events: path.join(place, 'events.jsonl') };
  }

  const happened = (file: string, ...types: string[]): void => {
    const timestamp = new Date(Date.now() + LATER).toISOString();
    for (const type of types)
      fs.appendFileSync(file, `${JSON.stringify({ type, timestamp, data: { content: 'hello there' } })}\n`);
  };

  it('the events of the Copilot session that the process holds show turns, questions and compaction', async () => {
    const { hold, events } = session('a');
    await follow(copilot, [hold]);
    expect(await currentState()).toBeUndefined();
    happened(events, 'session.start', 'user.message', 'assistant.turn_start');
    expect(await currentState()).toBe('busy');
    expect(reader.received!('hello there', 0)?.source).toBe('session_log');
    happened(events, 'permission.requested');
    await expect.poll(currentState).toBe('waiting');
    happened(events, 'permission.completed', 'assistant.turn_end');
    await expect.poll(currentState).toBe('idle');
    happened(events, 'session.compaction_start', 'model.turn_started');
    await expect.poll(currentState).toBe('busy');
    happened(events, 'session.compaction_complete');
    await expect.poll(currentState).toBe('idle');
    happened(events, 'user.message', 'assistant.turn_start', 'assistant.turn_end', 'abort');
    await expect.poll(currentState).toBe('interrupted');
  });

  it('the events of Copilot are read again if the tool cuts off a prompt that was taken back', async () => {
    const { hold, events } = session('a');
    await follow(copilot, [hold]);
    happened(events, 'user.message', 'assistant.turn_end');
    const settled = fs.readFileSync(events);
    happened(events, 'user.message', 'assistant.turn_start');
    expect(await currentState()).toBe('busy');
    fs.writeFileSync(events, settled);
    await expect.poll(currentState).toBe('idle');
    happened(events, 'user.message');
    await expect.poll(currentState).toBe('busy');
    fs.writeFileSync(`${events}.new`, settled);
    fs.renameSync(`${events}.new`, events);
    await expect.poll(currentState).toBe('idle');
  });

  it('the events of Copilot have no state while the process holds several sessions', async () => {
    const [a, b] = [session('a'), session('b')];
    happened(a.events, 'user.message');
    await follow(copilot, [a.hold, b.hold]);
    expect(await currentState()).toBeUndefined();
  });
});
