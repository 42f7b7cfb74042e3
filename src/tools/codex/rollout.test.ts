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

async function says(): Promise<string | undefined> {
  await clock.advance(1_000);
  return reader.read()[0]?.says;
}

const started = { type: 'task_started' };
const complete = { type: 'task_complete' };
const item = (text: string): object => ({
  type: 'item_completed',
  item: { type: 'UserMessage', content: [{ type: 'text', text, text_elements: [] }] },
});

describe("the log of Codex's conversation", () => {
  it('proves a prompt, as older and newer versions write it', () => {
    rollout('a')(started, { type: 'user_message', message: 'old way' }, item('new way\nin lines'));
    reader.follow(identifyProcess(process.pid));
    const since = clock.now().getTime();
    expect(reader.heard('old way', since)?.source).toBe('rollout');
    expect(reader.heard('new way\nin lines', since)?.source).toBe('rollout');
    expect(reader.heard('another way', since)).toBeUndefined();
    expect(reader.heard('old way', since + 1)).toBeUndefined();
  });

  it('is that of the chat begun last, though the log of the one before stays open', async () => {
    const first = rollout('a');
    first(started, complete);
    reader.follow(identifyProcess(process.pid));
    expect(await says()).toBe('idle');
    rollout('b')(started);
    expect(await says()).toBe('busy');
  });

  it('is not that of a subagent', async () => {
    rollout('a')(started);
    rollout('b', { subagent: { thread_spawn: { parent_thread_id: 'a' } } })(started, complete);
    reader.follow(identifyProcess(process.pid));
    expect(await says()).toBe('busy');
  });

  it('still tells of a turn that wrote hundreds of events', async () => {
    const write = rollout('a');
    write(started, ...Array.from({ length: 500 }, () => ({ type: 'token_count' })));
    reader.follow(identifyProcess(process.pid));
    expect(await says()).toBe('busy');
  });

  it('sets lines aside that are none of its own', async () => {
    const write = rollout('a');
    write(started);
    fs.writeSync(open[0]!, 'null\n[1]\n{"type":"event_msg"}\n{"type":"event_msg","payload":7}\nhalf a li\n');
    write(
      { type: 'item_completed' },
      { type: 'item_completed', item: { type: 'UserMessage', content: 'x' } },
    );
    reader.follow(identifyProcess(process.pid));
    expect(await says()).toBe('busy');
    expect(reader.heard('x', 0)).toBeUndefined();
  });
});
