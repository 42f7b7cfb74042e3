import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as path from 'node:path';
import * as esbuild from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentHouse } from '../scripted/agent-in-tmux.ts';
import { Desk, QUICK } from './desk.ts';

let house: AgentHouse;
let child: string;
beforeAll(async () => {
  house = await AgentHouse.open();
  child = path.resolve(import.meta.dirname, `../../node_modules/.rouse-crash-child-${process.pid}.mjs`);
  await esbuild.build({
    entryPoints: [path.resolve(import.meta.dirname, 'crash-child.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    packages: 'external',
    outfile: child,
    logLevel: 'error',
  });
});
afterAll(async () => {
  await house.close();
  const fs = await import('node:fs');
  fs.rmSync(child, { force: true });
});

/** A typist in a process of its own that is killed at this instant; resolves when it is gone. */
async function killedAt(desk: Desk, at: string, text: string): Promise<void> {
  const options = {
    manifest: desk.manifest,
    sessionRoot: desk.directory,
    laneLock: path.join(desk.directory, 'run', 'lane.lock'),
    timings: QUICK,
  };
  const typist = spawn(
    process.execPath,
    [child, JSON.stringify({ ...options, at, text, requestId: 'r-1' })],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let said = '';
  typist.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [, signal] = (await once(typist, 'exit')) as [number | null, string | null];
  expect({ signal, said }).toEqual({ signal: 'SIGKILL', said: '' });
}

describe('after a crash between typing and proof', () => {
  const line = 'one line that was on its way';
  const lines = 'first line\nsecond line\n\nthird line of it';
  it.each([
    ['lane.typing', line, 'not_submitted', 0],
    ['lane.pasted', line, 'not_submitted', 0],
    ['lane.pasted', lines, 'not_submitted', 0],
    ['lane.typed', lines, 'not_submitted', 0],
    ['lane.entered', line, 'submitted', 1],
    ['lane.entered', lines, 'submitted', 1],
    ['lane.submitted', line, 'submitted', 1],
  ] as const)('killed at %s, %j is judged %s', async (at, text, verdict, received) => {
    const desk = await new Desk(house).open();
    const sinceUtc = new Date().toISOString();
    await killedAt(desk, at, text);
    const recovered = await desk.surface.recover({ requestId: 'r-1', text, sinceUtc });
    expect(recovered.verdict, JSON.stringify(recovered)).toBe(verdict);
    expect(desk.records('submitted')).toHaveLength(received);
    const { found } = recovered.evidence.at(-1)!.facts;
    if (at === 'lane.typing') expect(found).toBe('nothing had been typed');
    else if (at === 'lane.typed') expect(found).toMatch(/had been typed.* taken back/);
    const { draft } = (await desk.control.send('status')) as { draft: { bytes: number } };
    expect(draft.bytes).toBe(0);
    await desk.close();
  });

  it('a draft that is not exactly ours is left alone and nothing is claimed', async () => {
    const desk = await new Desk(house).open();
    const sinceUtc = new Date().toISOString();
    await killedAt(desk, 'lane.pasted', line);
    await desk.type(' and a person went on');
    const { verdict } = await desk.surface.recover({ requestId: 'r-1', text: line, sinceUtc });
    expect(verdict).toBe('unknown');
    expect(await desk.control.send('status')).toMatchObject({
      draft: { text: `${line} and a person went on` },
    });
    await desk.close();
  });

  it('an agent that has lost the prompt gives no evidence, and nothing is claimed', async () => {
    const desk = await new Desk(house).open();
    await desk.control.send('lose-prompt');
    const sinceUtc = new Date().toISOString();
    await killedAt(desk, 'lane.entered', line);
    await desk.control.event('prompt_lost');
    const { verdict } = await desk.surface.recover({ requestId: 'r-1', text: line, sinceUtc });
    expect(verdict).toBe('unknown');
    await desk.close();
  });
});
