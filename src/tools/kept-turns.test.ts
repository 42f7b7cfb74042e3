import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type KeptTurnsPlace, toolOf } from './index.ts';

let directory: string;
const made: string[] = [];
afterEach(() => {
  for (const each of made.splice(0)) fs.rmSync(each, { recursive: true, force: true });
});

function place(more: Partial<KeptTurnsPlace> = {}): KeptTurnsPlace {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-kept-'));
  made.push(directory);
  const signalsDir = path.join(directory, 'signals');
  fs.mkdirSync(signalsDir);
  return {
    ...{ sessionRoot: directory, signalsDir, home: path.join(directory, 'home'), env: {} },
    ...{ conversation: undefined, fromMs: Date.parse('2026-04-16T08:00:00Z') },
    toMs: Date.parse('2026-04-16T12:00:00Z'),
    ...more,
  };
}

describe('the turns that a tool keeps', () => {
  it('the turns of Claude Code are read from the reports of its hooks, with answers and ends', () => {
    const at = place();
    const report = (time: string, event: string, payload: object | string): void => {
      const stamp = `${Date.parse(`2026-04-16T${time}Z`)}000000`;
      const body = typeof payload === 'string' ? payload : JSON.stringify({ event, payload });
      fs.writeFileSync(path.join(at.signalsDir, `${stamp}-1.json`), body);
    };
    report('07:00:00', 'UserPromptSubmit', { prompt: 'too early' });
    report('09:00:00', 'UserPromptSubmit', { prompt: 'fix the test' });
    report('09:01:00', 'PermissionRequest', {});
    report('09:02:00', 'Stop', { last_assistant_message: 'Fixed.' });
    report('09:03:00', 'Stop', '{torn');
    report('09:04:00', 'UserPromptSubmit', { prompt: 'deploy' });
    report('09:05:00', 'StopFailure', {});
    report('09:06:00', 'UserPromptSubmit', { prompt: 'still running' });
    expect(toolOf('claude')!.keptTurns!(at)).toEqual([
      {
        ...{ atUtc: '2026-04-16T09:00:00.000Z', endedAtUtc: '2026-04-16T09:02:00.000Z' },
        ...{ prompt: 'fix the test', result: 'success', answer: 'Fixed.' },
      },
      {
        ...{ atUtc: '2026-04-16T09:04:00.000Z', endedAtUtc: '2026-04-16T09:05:00.000Z' },
        ...{ prompt: 'deploy', result: 'known_failure', answer: null },
      },
      {
        ...{ atUtc: '2026-04-16T09:06:00.000Z', endedAtUtc: null },
        ...{ prompt: 'still running', result: null, answer: null },
      },
    ]);
  });

  it('the turns of codex are read from the rollout of its conversation, which may have begun days before', () => {
    const id = '0198c0de-7a2b-7e11-9c3d-0123456789ab';
    const at = place({ conversation: id });
    const sessions = path.join(at.home!, 'sessions', '2026', '04', '13');
    fs.mkdirSync(sessions, { recursive: true });
    const line = (time: string, payload: object): string =>
      JSON.stringify({ timestamp: `2026-04-16T${time}Z`, type: 'event_msg', payload });
    fs.writeFileSync(
      path.join(sessions, `rollout-2026-04-13T10-00-00-${id}.jsonl`),
      [
        line('09:00:00', { type: 'user_message', message: 'review it' }),
        line('09:00:01', { type: 'task_started' }),
        '{torn',
        line('09:02:00', { type: 'task_complete', last_agent_message: 'Looks good.' }),
        line('09:10:00', { type: 'user_message', message: 'once more' }),
        line('09:11:00', { type: 'turn_aborted' }),
      ]
        .join('\n')
        .concat('\n'),
    );
    expect(toolOf('codex')!.keptTurns!(at)).toMatchObject([
      { prompt: 'review it', result: 'success', answer: 'Looks good.' },
      { prompt: 'once more', result: 'interrupted', answer: null },
    ]);
  });

  it('a tool without records has no turns, and that is no error', () => {
    const gone = place({ signalsDir: '/nowhere', conversation: '0198c0de-7a2b-7e11-9c3d-0123456789ab' });
    expect(toolOf('claude')!.keptTurns!(gone)).toEqual([]);
    expect(toolOf('codex')!.keptTurns!(gone)).toEqual([]);
    expect(toolOf('scripted')!.keptTurns).toBeUndefined();
  });
});
