import { execFile } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AgentPane, ScriptedWorld } from '../scripted/scripted-world.ts';
import { proofReport } from '../support/proof-report.ts';
import { FULL, sampled } from '../support/sample.ts';
import { ControlClient, readTranscript } from '../support/scripted-agent.ts';
import { Tally } from './tally.ts';

/**
 * The disk refuses writes of the scripted agent: it goes on, and its transcript and status are written once and whole when the
 * disk accepts them. A headless turn that cannot be stored ends with a sentence.
 */
const ERRNOS = ['ENOSPC', 'EMFILE', 'EROFS', 'EIO'];
const FAULTS = path.resolve(import.meta.dirname, '../support/faults.mjs');
const WAIT = { timeout: 60_000, interval: 50 };
const FEW = 48;

let world: ScriptedWorld;
let control: string;
const recorded = { turns: 0, sentences: 0 };
const tally = new Tally();
beforeAll(async () => {
  world = await ScriptedWorld.open();
  control = path.join(world.directory, 'faults');
  fs.writeFileSync(`${control}.hits`, '');
});
beforeEach(() => {
  set('');
  world.before = { words: ['env', `FAULTS_FILE=${control}`], node: ['--import', FAULTS] };
});
afterAll(async () => {
  set('');
  const refused = hits();
  await world.close();
  proofReport(
    `the scripted agent: ${refused} writes refused, ${recorded.turns} turns recorded once, ${recorded.sentences} headless turns refused in a sentence; ${tally}`,
  );
});

const set = (fault: string): void => fs.writeFileSync(control, fault);
const hits = (): number => fs.readFileSync(`${control}.hits`, 'utf8').split('\n').filter(Boolean).length;

async function submit(pane: AgentPane, text: string): Promise<void> {
  const { mark } = pane.control;
  await pane.type(text);
  await pane.press('Enter');
  await pane.control.event('turn_finished', undefined, mark);
}

/** Each turn is in the transcript once and whole, and the agent's numbers have no gap. */
async function isWhole(pane: AgentPane, texts: readonly string[]): Promise<void> {
  tally.lives('the scripted agent', Number(await pane.fact('#{pane_pid}')));
  const submitted = (): unknown[] => pane.records('submitted').map((record) => record['text']);
  await expect.poll(() => submitted(), WAIT).toContain(texts.at(-1));
  for (const text of texts) tally.once(text, submitted().filter((each) => each === text).length);
  expect(submitted()).toEqual(texts);
  await expect.poll(() => pane.records('turn_finished').length, WAIT).toBe(texts.length);
  const seqs = pane.records().map(({ seq }) => seq);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  recorded.turns += texts.length;
}

describe.each(sampled(import.meta.filename, ERRNOS, 1))('%s', (errno) => {
  it('a scripted agent that fails at every write for a while, then at each in turn, records every turn once, and its status follows', async () => {
    const status = path.join(world.directory, `${errno}.status`);
    const pane = await world.start(['--turn', '0', '--status-file', status]);
    const texts = [`${errno} all`];
    set(errno);
    await submit(pane, texts[0]!);
    set('');
    await isWhole(pane, texts);
    for (let nth = 1, before = 0; nth <= (FULL ? 40 : 4) && hits() !== before; nth++) {
      before = hits();
      const text = `${errno} number ${nth}`;
      texts.push(text);
      set(`${errno} ${nth}`);
      await submit(pane, text);
      set('');
    }
    await isWhole(pane, texts);
    await expect
      .poll(() => JSON.parse(fs.readFileSync(status, 'utf8')), WAIT)
      .toMatchObject({ status: 'idle' });
  });

  it('a headless turn that fails at each write in turn is kept once, or ends with a sentence and exit code 1 or 2', async () => {
    const directory = path.join(world.directory, `${errno}-sessions`);
    for (let nth = 1; nth <= (FULL ? 40 : 3); nth++) {
      const transcript = path.join(world.directory, `${errno}-${nth}.jsonl`);
      const before = hits();
      set(`${errno} ${nth}`);
      const run = await headless([
        '--transcript',
        transcript,
        '--session-dir',
        directory,
        '-p',
        `turn ${nth}`,
      ]);
      set('');
      if (hits() === before) {
        expect(run.code).toBe(0);
        break;
      }
      if (run.code !== 0) {
        expect([1, 2], JSON.stringify(run)).toContain(run.code);
        expect(run.stderr).toMatch(/^error: .{10,}\n/);
        expect(run.stderr).not.toMatch(/^\s+at /m);
        recorded.sentences++;
      }
      const records = fs.existsSync(transcript) ? readTranscript(transcript) : [];
      const times = records.filter(({ type }) => type === 'submitted').length;
      const what = `${errno} ${nth}, headless`;
      if (run.code === 0) tally.once(what, times);
      else tally.atMostOnce(what, times);
    }
  });
});

function headless(flags: string[]): Promise<{ code: number; stderr: string }> {
  const { node } = world.before;
  const all = [...node, world.program, '--headless', '--turn', '0', ...flags];
  return new Promise((resolve) => {
    const env = { ...process.env, FAULTS_FILE: control };
    const child = execFile(process.execPath, all, { env }, (error, _, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stderr }),
    );
    child.stdin?.end('');
  });
}

describe('with few descriptors', () => {
  it('connections to the control channel that cannot be accepted end no process, however many, and later ones are accepted', async () => {
    world.before = { words: ['prlimit', `--nofile=${FEW}:${FEW}`], node: [] };
    const pane = await world.start(['--turn', '0']);
    for (const round of [1, 2, 3]) {
      const held = Array.from({ length: 2 * FEW }, () => net.connect(pane.controlPath).on('error', () => {}));
      await Promise.all(held.map((socket) => once(socket, 'connect').catch(() => {})));
      await submit(pane, `round ${round}`);
      for (const socket of held) socket.destroy();
      const next = await ControlClient.connect(pane.controlPath, AbortSignal.timeout(30_000));
      await next.event('turn_finished');
      next.close();
    }
    await isWhole(pane, ['round 1', 'round 2', 'round 3']);
  });
});
