import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Emitter, FakeClock, identifyProcess } from '../../base/index.ts';
import { ClaudeHooks } from '../claude/hooks.ts';
import { CODEX_ROLLOUT } from '../codex/rollout.ts';
import { SessionLog } from './session-log.ts';
import { StatusFile } from './status-file.ts';

let directory: string;
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-signals-'));
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

const clock = new FakeClock('2026-01-01T00:00:10.000Z');
const self = identifyProcess(process.pid)!;

/** A callback, and a promise for its next call. */
function nextCall(): { call: () => void; next: () => Promise<unknown> } {
  const emitter = new Emitter<void>();
  return { call: () => emitter.emit(), next: () => emitter.next() };
}

describe('hook reports of Claude Code', () => {
  const report = (at: string, event: string, payload: object): void => {
    const name = path.join(directory, `${at}-1.json`);
    fs.writeFileSync(`${name}.tmp`, JSON.stringify({ event, at, payload }));
    fs.renameSync(`${name}.tmp`, name);
  };

  it('hook reports of Claude Code show what the tool does, and which prompt it has received', async () => {
    report('1767225600000000000', 'SessionStart', {});
    const { call, next } = nextCall();
    const hooks = new ClaudeHooks(directory, clock, call);
    expect(hooks.read()).toMatchObject([{ state: 'idle', ageMs: 10_000 }]);
    const called = next();
    report('1767225601000000000', 'UserPromptSubmit', { prompt: 'do  it\tnow ', session_id: 's' });
    await called;
    expect(hooks.read()).toMatchObject([{ state: 'busy', ageMs: 9000, detail: 'UserPromptSubmit' }]);
    expect(hooks.received('do it now', Date.parse('2026-01-01T00:00:00Z'))).toMatchObject({ source: 'hook' });
    expect(hooks.received('do it now', Date.parse('2026-01-01T00:00:02Z'))).toBeUndefined();
    expect(hooks.received('do it', 0)).toBeUndefined();
    const stopped = next();
    report('1767225602000000000', 'Stop', { last_assistant_message: 'It is done.' });
    await stopped;
    expect(hooks.answerSince(Date.parse('2026-01-01T00:00:01Z'))).toBe('It is done.');
    expect(hooks.answerSince(Date.parse('2026-01-01T00:00:03Z'))).toBeUndefined();
    expect(hooks.turnEnd('do it now', Date.parse('2026-01-01T00:00:00Z'))).toEqual({
      source: 'hook',
      atUtc: '2026-01-01T00:00:02.000Z',
      result: 'success',
    });
    expect(hooks.turnEnd('do it now', Date.parse('2026-01-01T00:00:02Z'))).toBeUndefined();
    const other = next();
    report('1767225603000000000', 'UserPromptSubmit', { prompt: 'another' });
    await other;
    expect(hooks.turnEnd('do it now', 0)).toBeUndefined();
    expect(hooks.turnEnd('another', 0)).toBeUndefined();
    const failed = next();
    report('1767225604000000000', 'StopFailure', {});
    await failed;
    expect(hooks.turnEnd('another', 0)).toMatchObject({ result: 'known_failure' });
    hooks.close();
  });

  it('hook reports of Claude Code name the conversation to resume, and none if it is empty', () => {
    let at = 1_767_225_600n * 1_000_000_000n;
    const known = (event: string, payload: object): string | null | undefined => {
      report(String(at++), event, payload);
      const hooks = new ClaudeHooks(directory, clock, () => {});
      hooks.close();
      return hooks.conversation();
    };
    expect(known('Notification', {})).toBeUndefined();
    expect(known('SessionStart', { session_id: 'a', source: 'startup' })).toBeNull();
    expect(known('UserPromptSubmit', { session_id: 'a', prompt: 'x' })).toBe('a');
    expect(known('SessionStart', { session_id: 'b', source: 'clear' })).toBeNull();
    expect(known('UserPromptSubmit', { session_id: 'b', prompt: 'x' })).toBe('b');
    expect(known('SessionStart', { session_id: 'c', source: 'resume' })).toBe('c');
  });

  it('hook reports of Claude Code are ignored by a process that began after them', () => {
    report('1767225600000000000', 'UserPromptSubmit', { prompt: 'x' });
    const hooks = new ClaudeHooks(directory, clock, () => {});
    expect(hooks.read()).toMatchObject([{ state: 'busy' }]);
    hooks.follow(identifyProcess(process.pid));
    expect(hooks.read()).toEqual([]);
    report(`${Date.now()}000000`, 'SessionStart', {});
    const later = new ClaudeHooks(directory, clock, () => {});
    later.follow(identifyProcess(process.pid));
    expect(later.read()).toMatchObject([{ state: 'idle' }]);
    hooks.close();
    later.close();
  });

  it('unreadable hook reports of Claude Code are skipped', () => {
    fs.writeFileSync(path.join(directory, '1767225600000000000-1.json'), '{"event": "St');
    fs.writeFileSync(path.join(directory, '1767225600000000001-1.json'), '[]');
    fs.writeFileSync(path.join(directory, 'notes.txt'), 'x');
    report('1767225600000000002', 'Stop', {});
    const hooks = new ClaudeHooks(directory, clock, () => {});
    expect(hooks.read()).toMatchObject([{ state: 'idle', detail: 'Stop' }]);
    hooks.close();
    expect(new ClaudeHooks(path.join(directory, 'absent'), clock, () => {}).read()).toEqual([]);
  });
});

describe('a status file', () => {
  const open = (file: string, changed: () => void): StatusFile =>
    new StatusFile({
      source: 'claude_status_file',
      clock,
      changed,
      place: () => file,
      stamp: (content) => content['statusUpdatedAt'],
    });

  it('a status file is read again when it is replaced, and not believed if its writer is dead', async () => {
    const file = path.join(directory, 'status.json');
    const { call, next } = nextCall();
    const status = open(file, call);
    expect(status.read()).toEqual([]);
    const changed = next();
    const write = (content: object): void => {
      fs.writeFileSync(`${file}.new`, JSON.stringify(content));
      fs.renameSync(`${file}.new`, file);
    };
    write({ pid: process.pid, status: 'busy', statusUpdatedAt: Date.parse('2026-01-01T00:00:09Z') });
    await changed;
    expect(status.read()).toMatchObject([{ state: 'busy', ageMs: 1000, writerAlive: true }]);
    const again = next();
    write({ pid: 2 ** 22 + 1, status: 'idle' });
    await again;
    expect(status.read()).toMatchObject([{ state: 'idle', writerAlive: false }]);
    status.close();
  });

  it('a status file is found in a directory that is created later', async () => {
    const late = path.join(directory, 'sessions');
    const status = open(path.join(late, 'x.json'), () => {});
    expect(status.read()).toEqual([]);
    fs.mkdirSync(late);
    fs.writeFileSync(path.join(late, 'x.json'), JSON.stringify({ pid: process.pid, status: 'waiting' }));
    await clock.advance(1000);
    expect(status.read()).toMatchObject([{ state: 'waiting' }]);
    status.close();
  });

  it.each(['', '{', '[]', '{"status": "asleep"}', 'null'])('a status file with %j has no state', (text) => {
    const file = path.join(directory, 'status.json');
    fs.writeFileSync(file, text);
    const status = open(file, () => {});
    expect(status.read()).toEqual([]);
    status.close();
  });
});

describe('the rollout log of Codex', () => {
  it("codex's rollout log is found among the open files of the tool and read as it grows", async () => {
    const file = path.join(directory, 'rollout-2026-01-01.jsonl');
    const fd = fs.openSync(file, 'a');
    const write = (at: string, payload: object): void =>
      void fs.writeSync(fd, `${JSON.stringify({ timestamp: at, type: 'event_msg', payload })}\n`);
    write('2026-01-01T00:00:01Z', { type: 'task_started' });
    fs.writeSync(fd, 'not a record\n');
    const { call, next } = nextCall();
    const rollout = new SessionLog(CODEX_ROLLOUT, clock, call);
    rollout.follow(self);
    expect(rollout.read()).toMatchObject([{ state: 'busy', detail: 'task_started' }]);
    const more = next();
    write('2026-01-01T00:00:02Z', { type: 'user_message', message: 'fix it' });
    write('2026-01-01T00:00:03Z', { type: 'turn_aborted' });
    await more;
    expect(rollout.read()).toMatchObject([{ state: 'interrupted' }]);
    expect(rollout.received('fix it', 0)).toMatchObject({ source: 'rollout' });
    expect(rollout.received('fix it', Date.parse('2026-01-01T00:00:05Z'))).toBeUndefined();
    expect(rollout.answerSince(0)).toBeUndefined();
    expect(rollout.turnEnd('fix it', 0)).toMatchObject({ source: 'rollout', result: 'interrupted' });
    expect(rollout.turnEnd('fix it', Date.parse('2026-01-01T00:00:05Z'))).toBeUndefined();
    expect(rollout.turnEnd('another', 0)).toBeUndefined();
    const another = next();
    write('2026-01-01T00:00:04Z', { type: 'task_started' });
    write('2026-01-01T00:00:05Z', { type: 'user_message', message: 'another' });
    await another;
    expect(rollout.turnEnd('another', 0)).toBeUndefined();
    expect(rollout.turnEnd('fix it', 0)).toBeUndefined();
    const ended = next();
    write('2026-01-01T00:00:06Z', { type: 'task_complete', last_agent_message: 'Fixed.' });
    await ended;
    expect(rollout.answerSince(Date.parse('2026-01-01T00:00:05Z'))).toBe('Fixed.');
    expect(rollout.answerSince(Date.parse('2026-01-01T00:00:07Z'))).toBeUndefined();
    expect(rollout.turnEnd('another', 0)).toMatchObject({ result: 'success' });
    rollout.follow(undefined);
    expect(rollout.read()).toEqual([]);
    rollout.close();
    fs.closeSync(fd);
  });
});

describe('usage limits in the records of tools', () => {
  const report = (at: string, event: string, payload: object): void => {
    const name = path.join(directory, `${at}-1.json`);
    fs.writeFileSync(`${name}.tmp`, JSON.stringify({ event, at, payload }));
    fs.renameSync(`${name}.tmp`, name);
  };

  it('StopFailure of Claude Code reports the limit that ended the last turn, until the next prompt', () => {
    const open = (): ClaudeHooks => {
      const hooks = new ClaudeHooks(directory, clock, () => {});
      hooks.close();
      return hooks;
    };
    expect(open().limit()).toBeUndefined();
    report('1767225600000000000', 'UserPromptSubmit', { prompt: 'x' });
    report('1767225601000000000', 'StopFailure', {
      error: 'rate_limit',
      last_assistant_message: "You've hit your session limit · resets 3am (UTC)",
    });
    expect(open().limit()).toEqual({
      source: 'claude_hooks',
      endedTurn: "You've hit your session limit · resets 3am (UTC)",
      untilMs: null,
    });
    report('1767225602000000000', 'UserPromptSubmit', { prompt: 'y' });
    expect(open().limit()).toBeUndefined();
    report('1767225603000000000', 'Stop', {});
    expect(open().limit()).toMatchObject({ endedTurn: null, endedWell: true });
  });

  it("StopFailure of Claude Code with the model's words is not a limit, whatever they are", () => {
    report('1767225601000000000', 'StopFailure', {
      error: 'max_output_tokens',
      last_assistant_message: "You've hit your session limit · resets 3am (UTC)",
    });
    const hooks = new ClaudeHooks(directory, clock, () => {});
    hooks.close();
    expect(hooks.limit()).toBeUndefined();
  });

  it("Claude Code's transcript has the end of a limit to the second", () => {
    const transcript = path.join(directory, 'transcript.jsonl');
    report('1767225601000000000', 'StopFailure', {
      error: 'rate_limit',
      last_assistant_message: "You've hit your 5-hour limit · resets 12:30am (UTC)",
      transcript_path: transcript,
    });
    const hooks = new ClaudeHooks(directory, clock, () => {});
    hooks.close();
    expect(hooks.limit()?.untilMs).toBeNull();
    const row = (seconds: number, more: object = {}): string => {
      const info = { status: 'rejected', resetsAt: 1_767_227_451, rateLimitType: 'five_hour' };
      const message = {
        model: '<synthetic>',
        content: [{ type: 'text', text: "You've hit your 5-hour limit" }],
      };
      return JSON.stringify({
        ...{ type: 'assistant', timestamp: new Date(1_767_225_600_000 + seconds * 1000), message },
        ...{ apiError: 'usage_limit_reached', apiErrorParams: { rate_limit_info: { ...info, ...more } } },
      });
    };
    const quoted = JSON.stringify({ type: 'user', message: { content: row(1) } });
    const others = ['{"rate_limit_info"', '"rate_limit_info"', 'null', quoted];
    fs.writeFileSync(transcript, `${[...others, row(-900), row(1, { resetsAt: '9' })].join('\n')}\n`);
    expect(hooks.limit()?.untilMs).toBeNull();
    fs.appendFileSync(transcript, `${row(0)}\n`);
    expect(hooks.limit()?.untilMs).toBe(1_767_227_451_000);
  });

  it("codex's rollout log has the limit that refused a turn in the end of that turn", () => {
    const message = 'You’ve hit your usage limit. … or try again at Nov 20th, 2026 12:30 AM.';
    const ended = (error: object | null): object => ({
      timestamp: '2026-11-19T22:30:54.023Z',
      type: 'event_msg',
      payload: { type: 'task_complete', turn_id: 'a', last_agent_message: null, error },
    });
    const [entry] = CODEX_ROLLOUT.entryOf(ended({ message, codex_error_info: 'usage_limit_exceeded' }));
    expect(entry).toMatchObject({ kind: 'task_complete', limit: { message } });
    expect(CODEX_ROLLOUT.entryOf(ended({ message, codex_error_info: 'other' }))[0]).not.toHaveProperty(
      'limit',
    );
    expect(CODEX_ROLLOUT.entryOf(ended(null))[0]).not.toHaveProperty('limit');
  });

  it("codex's rollout log has when the limits end that are used up, and the error that one ended a turn", async () => {
    const file = path.join(directory, 'rollout-2026-01-01.jsonl');
    const fd = fs.openSync(file, 'a');
    const write = (payload: object): void =>
      void fs.writeSync(
        fd,
        `${JSON.stringify({ timestamp: '2026-01-01T00:00:01Z', type: 'event_msg', payload })}\n`,
      );
    const window = (used_percent: number, resets_at: number): object => ({
      used_percent,
      window_minutes: 300,
      resets_at,
    });
    const { call, next } = nextCall();
    write({ type: 'task_started' });
    write({
      type: 'token_count',
      info: null,
      rate_limits: { primary: window(99.5, 1767240000), secondary: null },
    });
    const rollout = new SessionLog(CODEX_ROLLOUT, clock, call);
    rollout.follow(self);
    expect(rollout.limit()).toMatchObject({ endedTurn: null, untilMs: null });
    const more = next();
    const limits = {
      primary: window(100, 1767240000),
      secondary: window(100, 1767900000),
      plan_type: 'plus',
    };
    write({ type: 'token_count', info: null, rate_limits: limits });
    write({
      type: 'error',
      message: "You've hit your usage limit.",
      codex_error_info: 'usage_limit_exceeded',
    });
    await more;
    expect(rollout.limit()).toEqual({
      source: 'codex_rollout',
      endedTurn: "You've hit your usage limit.",
      untilMs: 1767900000_000,
    });
    const again = next();
    write({ type: 'user_message', message: 'go on' });
    write({ type: 'token_count', rate_limits: { primary: { used_percent: 100, resets_in_seconds: 60 } } });
    await again;
    expect(rollout.limit()).toMatchObject({ endedTurn: null, untilMs: Date.parse('2026-01-01T00:01:01Z') });
    rollout.close();
    fs.closeSync(fd);
  });
});
