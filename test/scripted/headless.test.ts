import { type ChildProcess, execFile, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprint, readTranscript } from '../support/scripted-agent.ts';
import { ScriptedWorld } from './scripted-world.ts';

let world: ScriptedWorld;
let number = 0;
beforeAll(async () => {
  world = await ScriptedWorld.open();
});
afterAll(() => world.close());

interface Run {
  code: number | null;
  events: Record<string, unknown>[];
  stdout: string;
  stderr: string;
}

const place = () => {
  const directory = path.join(world.directory, `headless-${++number}`);
  return { transcript: `${directory}.jsonl`, sessions: directory };
};

function headless(where: ReturnType<typeof place>, flags: string[], stdin = ''): Promise<Run> {
  const own = [
    '--headless',
    '--turn',
    '0',
    '--transcript',
    where.transcript,
    '--session-dir',
    where.sessions,
  ];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [world.program, ...own, ...flags], (error, stdout, stderr) => {
      const code = error ? ((error.code as unknown as number | undefined) ?? null) : 0;
      const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
      resolve({ code, events: lines.map((line) => JSON.parse(line)), stdout, stderr });
    });
    child.stdin?.end(stdin);
  });
}

const sessionOf = (run: Run): string => String(run.events[0]?.['session_id']);

describe('a headless turn', () => {
  it('a headless turn reports its session, its answer and its result as structured events', async () => {
    const where = place();
    const run = await headless(where, ['-p', 'do ⟦rouse:n1⟧ it']);
    expect(run.code).toBe(0);
    expect(run.events.map((event) => event['type'])).toEqual(['system', 'assistant', 'result']);
    expect(new Set(run.events.map((event) => event['session_id'])).size).toBe(1);
    expect(run.events[2]).toMatchObject({ subtype: 'success', is_error: false, num_turns: 1 });
    expect(readTranscript(where.transcript).map((record) => record.type)).toEqual([
      'started',
      'submitted',
      'turn_started',
      'turn_finished',
      'exited',
    ]);
    expect(readTranscript(where.transcript)[1]).toMatchObject({ text: 'do ⟦rouse:n1⟧ it', nonces: ['n1'] });
  });

  it('a headless turn goes on with a session by its id, or with the latest, and keeps its role', async () => {
    const where = place();
    const first = await headless(where, ['-p', 'one', '--append-system-prompt', 'You are Ada.']);
    const other = await headless(where, ['-p', 'elsewhere']);
    const second = await headless(where, ['-p', '--resume', sessionOf(first), 'two']);
    expect(sessionOf(second)).toBe(sessionOf(first));
    expect(second.events.at(-1)).toMatchObject({
      num_turns: 2,
      result: expect.stringContaining('Role: You are Ada.'),
    });
    const third = await headless(where, ['-p', '--continue', 'three']);
    expect(sessionOf(third)).toBe(sessionOf(first));
    expect(third.events.at(-1)).toMatchObject({ num_turns: 3 });
    expect(sessionOf(other)).not.toBe(sessionOf(first));
  });

  it('a headless turn takes an id of its own for a new session, and no id twice', async () => {
    const where = place();
    const first = await headless(where, ['-p', 'one', '--session-id', 'my-session']);
    expect(sessionOf(first)).toBe('my-session');
    const again = await headless(where, ['-p', 'two', '--session-id', 'my-session']);
    expect([again.code, again.stderr]).toEqual([
      4,
      expect.stringMatching(/in use[\s\S]*--resume my-session/),
    ]);
  });

  it('a headless turn takes a prompt of any size from standard input, exactly', async () => {
    const where = place();
    const prompt = `${'漢字 and more \n'.repeat(20_000)}\t end `;
    const run = await headless(where, ['-p'], prompt);
    expect(run.code).toBe(0);
    expect(readTranscript(where.transcript)[1]).toMatchObject(fingerprint(prompt));
  });

  it.each([
    ['json', /^\{"type":"result".*\}\n$/],
    ['text', /^Received 5 bytes, sha256 [0-9a-f]{12}\. \(turn 1\)\n$/],
  ])('a headless turn prints %s when asked to', async (format, shape) => {
    expect((await headless(place(), ['-p', 'hello', '--output-format', format])).stdout).toMatch(shape);
  });

  it('a headless turn refuses what it would have to ask, and says so', async () => {
    const run = await headless(place(), ['-p', '[[sh=rm -rf build]]']);
    expect(run.events.at(-1)).toMatchObject({
      permission_denials: [{ tool_name: 'Shell', tool_input: { command: 'rm -rf build' } }],
    });
  });

  it.each([
    ['[[fail=overloaded]]', 1, ['system', 'assistant', 'result']],
    ['[[crash]]', 1, ['system']],
    ['[[exit=7]]', 7, ['system']],
  ])('%s ends with code %i', async (prompt, code, types) => {
    const run = await headless(place(), ['-p', prompt]);
    expect(run.code).toBe(code);
    expect(run.events.map((event) => event['type'])).toEqual(types);
  });

  it.each([
    [['-p', '   '], 2, /needs a prompt/],
    [['-p', 'x', '--resume', 'no-such-session'], 3, /no conversation found with session id no-such-session/],
    [['-p', 'x', '--continue'], 3, /no conversation found to continue/],
    [['-p', 'x', '--outputformat', 'json'], 2, /Did you mean --output-format\?/],
    [['-p', 'x', '--transcript', '/nowhere/x'], 2, /cannot be written/],
  ])('%j is refused with code %i', async (flags, code, message) => {
    const where = place();
    const run = await headless(where, flags);
    expect([run.code, run.stdout]).toEqual([code, '']);
    expect(run.stderr).toMatch(message);
    expect(fs.existsSync(where.sessions)).toBe(false);
  });

  it('a headless turn can be interrupted: no result, and the turn is on record as interrupted', async () => {
    const where = place();
    const flags = [
      '--headless',
      '-p',
      '[[hang]]',
      '--transcript',
      where.transcript,
      '--session-dir',
      where.sessions,
    ];
    const child = spawn(process.execPath, [world.program, ...flags]);
    await started(child);
    child.kill('SIGTERM');
    const [code] = await new Promise<[number | null]>((resolve) =>
      child.on('close', (status) => resolve([status])),
    );
    expect(code).toBe(143);
    expect(readTranscript(where.transcript).map((record) => record.type)).toContain('interrupted');
  });

  it('a headless turn keeps every turn when several run in one session at once', async () => {
    const where = place();
    const first = await headless(where, ['-p', 'first']);
    const flags = (nonce: number): string[] => ['-p', '--resume', sessionOf(first), `[[nonce=n${nonce}]]`];
    await Promise.all([1, 2, 3, 4].map((nonce) => headless(where, flags(nonce))));
    const last = await headless(where, ['-p', '--resume', sessionOf(first), 'last']);
    expect(last.events.at(-1)).toMatchObject({ num_turns: 6 });
    const nonces = readTranscript(where.transcript).flatMap(
      (record) => (record['nonces'] as string[] | undefined) ?? [],
    );
    expect(nonces.sort()).toEqual(['n1', 'n2', 'n3', 'n4']);
  });
});

describe('the interactive agent', () => {
  it('the interactive agent refuses to start without a terminal', async () => {
    const run = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile(process.execPath, [world.program], (error, _out, stderr) =>
        resolve({ code: error?.code, stderr }),
      );
    });
    expect(run).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/needs a terminal[\s\S]*--headless/),
    });
  });
});

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.stdout?.once('data', () => resolve()));
}
