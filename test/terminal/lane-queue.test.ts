import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Ending } from '../../src/base/index.ts';
import { ScriptedWorld } from '../scripted/scripted-world.ts';
import { inWords, proofReport } from '../support/proof-report.ts';
import { type Asked, QueueStorm, TROUBLES, type Trouble } from './queue-storm.ts';

/**
 * Several queued requests for a tool that hangs, is stopped, draws late, is logged out, or whose gateway is restarted: each
 * is submitted once, or still waits with the true reason, compared with what the agent recorded.
 */
const FULL = process.env['ROUSE_PROOF'] === 'full';
const PER_TROUBLE = Number(process.env['ROUSE_PROOF_EACH'] ?? (FULL ? 200 : 3));
const PANES = FULL ? 2 : 1;
const SEED = Number(process.env['ROUSE_PROOF_SEED'] ?? 11);
const SIZE = FULL
  ? { inLine: 5, longestLateMs: 5000, longestHangMs: 7000 }
  : { inLine: 3, longestLateMs: 900, longestHangMs: 900 };

let world: ScriptedWorld;
const ending = new Ending();
beforeAll(async () => {
  world = await ScriptedWorld.open();
});
afterAll(async () => {
  reportAll();
  await ending.run();
  await world.close();
});

const plans: [Trouble, number][] = [
  ...TROUBLES.map((each): [Trouble, number] => [each, PER_TROUBLE]),
  ['never_back', SIZE.inLine],
];

describe('several queued requests', () => {
  it.concurrent.each(plans)(
    'several queued requests before a tool in trouble (%s) are each submitted once, or wait with the true reason',
    async (trouble, count) => {
      const panes = trouble === 'never_back' ? 1 : PANES;
      const each = Math.ceil(count / panes);
      const row: Row = { ...NO_ROW, said: [] };
      await Promise.all(
        Array.from({ length: panes }, async (_, pane) => {
          const seed = SEED * 100 + plans.findIndex(([name]) => name === trouble) * 10 + pane;
          const storm = new QueueStorm(world, ending, { ...SIZE, seed, each }, pane % 2 === 0);
          await storm.run(trouble).finally(() => storm.close());
          judge(row, storm);
        }),
      );
      rows.set(trouble, row);
      expect(breaches(row)).toEqual(NO_BREACH);
      if (FULL) expect(row.struck).toBeGreaterThanOrEqual(row.prompts / 4);
    },
    FULL ? 3_600_000 : 120_000,
  );
});

const rows = new Map<Trouble, Row>();

interface Row {
  prompts: number;
  /** Requests that had not ended when the trouble began. */
  struck: number;
  submitted: number;
  waiting: number;
  merged: number;
  lost: number;
  false_failed: number;
  false_submitted: number;
  said: string[];
}

const NO_ROW = {
  ...{
    prompts: 0,
    struck: 0,
    submitted: 0,
    waiting: 0,
    merged: 0,
    lost: 0,
    false_failed: 0,
    false_submitted: 0,
  },
};
const NO_BREACH = { merged: 0, lost: 0, false_failed: 0, false_submitted: 0, unaccounted: 0, said: [] };

function breaches({ prompts, submitted, waiting, merged, lost, false_failed, false_submitted, said }: Row) {
  return { merged, lost, false_failed, false_submitted, unaccounted: prompts - submitted - waiting, said };
}

function judge(row: Row, storm: QueueStorm): void {
  const received = new Map<string, number>();
  for (const { text } of storm.records().filter(({ type }) => type === 'submitted'))
    received.set(String(text), (received.get(String(text)) ?? 0) + 1);
  for (const asked of storm.asked) {
    const times = received.get(asked.text) ?? 0;
    received.delete(asked.text);
    row.prompts++;
    if (asked.outcome === 'submitted') row.submitted++;
    else if (waits(asked)) row.waiting++;
    else row.said.push(`${asked.state} ${asked.outcome}: ${asked.detail} ${asked.reason}, received ${times}`);
    if (asked.outcome === 'submitted' && times !== 1) row.false_submitted++;
    if (asked.outcome !== 'submitted' && asked.outcome !== null && times > 0) row.false_failed++;
    if (asked.outcome !== null && times === 0) row.lost++;
  }
  row.struck += storm.struck;
  row.merged += received.size;
  row.said.push(...[...received.keys()].map((text) => `no one sent ${text.slice(0, 120)}`));
}

/** The tool never came back: one prompt was being typed, the others are queued. */
function waits({ trouble, state, reason }: Asked): boolean {
  if (trouble !== 'never_back') return false;
  const true_ = reason?.startsWith('unseen_paste=') || reason?.startsWith('behind ');
  return (state === 'accepted' || state === 'running') && true_ === true;
}

function reportAll(): void {
  const total: Record<string, number> = { ...NO_ROW };
  for (const [trouble, { said, ...row }] of rows) {
    for (const [name, count] of Object.entries(row)) total[name] = (total[name] ?? 0) + count;
    proofReport(`queued, ${trouble}: ${inWords(row)}`, ...said);
  }
  const missing = plans.map(([trouble]) => trouble).filter((trouble) => !rows.has(trouble));
  proofReport(`queued, all ${rows.size} of ${plans.length} troubles: ${inWords(total)}`);
  if (missing.length > 0) proofReport(`queued, not judged: ${missing.join(', ')}`);
}
