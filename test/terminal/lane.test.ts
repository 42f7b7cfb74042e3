import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reasonTexts } from '../../src/domain/index.ts';
import { ScriptedWorld } from '../scripted/scripted-world.ts';
import { inWords, proofReport } from '../support/proof-report.ts';
import type { TranscriptRecord } from '../support/scripted-agent.ts';
import { type Entry, runStorm, type Storm } from './lane-storm.ts';
import { PersonAtClient } from './person-at-client.ts';
import { TestPane } from './test-pane.ts';

const FULL = process.env['ROUSE_PROOF'] === 'full';
const COUNT = Number(process.env['ROUSE_PROOF_COUNT'] ?? (FULL ? 2000 : 36));
const SEED = Number(process.env['ROUSE_PROOF_SEED'] ?? 7);

/** Several agents at once, each with its own storm, because they mostly wait. */
const LANES = [
  { what: 'the tool reports its state', statusFile: true, share: 0.6 },
  { what: 'there is only the screen', statusFile: false, share: 0.4 },
].flatMap(({ share, ...kind }) =>
  Array.from({ length: FULL ? 2 : 1 }, (_, lane, lanes = FULL ? 2 : 1) => ({
    ...kind,
    count: Math.ceil((COUNT * share) / lanes),
    seed: SEED + Number(kind.statusFile) + 100 * lane,
  })),
);

let world: ScriptedWorld;
beforeAll(async () => {
  world = await ScriptedWorld.open();
});
afterAll(async () => {
  const { judged, breaches, ...outcomes } = totals;
  const prompts = LANES.reduce((sum, { count }) => sum + count, 0);
  proofReport(`storm: ${judged} of ${prompts} prompts judged: ${inWords(outcomes)}; ${breaches} breaches`);
  await world.close();
});

const totals: Record<string, number> & { judged: number; breaches: number } = { judged: 0, breaches: 0 };

describe('seeded prompts with faults', () => {
  it.concurrent.each(LANES)(
    'if $what, the agent received exactly what the lane reports as submitted (seed $seed)',
    async ({ what, statusFile, count, seed }) => {
      const pane = await new TestPane(world, {
        ...{ shell: true, flags: ['--turn', '60ms'], statusFile },
        // A person tidies up after an unconfirmed prompt, so the lane need not wait half a minute until it counts as lost.
        surface: { patience: { lostMs: 1_500 } },
      }).open();
      const person = new PersonAtClient().sitsAt(pane.place);
      const storm = await runStorm(pane, person, { seed, count, patient: FULL, progress: shown });
      await person.close();
      const records = pane.records();
      await pane.close();
      const breaches = judge(storm, records);
      report(`${what} (seed ${seed})`, breaches, storm, records);
      expect(breaches).toEqual([]);
    },
    FULL ? 4 * 3_600_000 : 300_000,
  );
});

/** Every breach as a sentence. */
function judge({ entries, personLines, shells }: Storm, records: TranscriptRecord[]): string[] {
  const breaches: string[] = [];
  const received = new Map<string, number>();
  for (const { text } of records.filter(({ type }) => type === 'submitted')) {
    received.set(taken(text), (received.get(taken(text)) ?? 0) + 1);
  }
  const allowed = new Map<string, { min: number; max: number }>();
  const allow = (text: string, min: number, max: number): void => {
    const sum = allowed.get(taken(text)) ?? { min: 0, max: 0 };
    allowed.set(taken(text), { min: sum.min + min, max: sum.max + max });
  };
  for (const entry of entries) {
    const sure = entry.result.outcome === 'submitted' ? 1 : 0;
    allow(entry.text, sure, entry.result.outcome === 'unconfirmed' ? 1 : sure);
    if (sure === 1 && !entry.stages.join(' ').startsWith('typing typed submitted'))
      breaches.push(`${named(entry)}: stages ${entry.stages.join(' ')}`);
    if (entry.fault.startsWith('lose_') && sure === 1)
      breaches.push(`${named(entry)}: a lost prompt was called submitted`);
  }
  for (const line of personLines) allow(line, 1, 1);
  for (const [text, { min, max }] of allowed) {
    const count = received.get(text) ?? 0;
    if (count < min || count > max) {
      const who = entries.filter((entry) => taken(entry.text) === text).map(named);
      breaches.push(`${who.join(', ') || text}: received ${count} times, allowed ${min} to ${max}`);
    }
    received.delete(text);
  }
  for (const text of received.keys())
    breaches.push(`received a text that no one sent: ${JSON.stringify(text.slice(0, 200))}`);
  for (const each of records.filter(({ type }) => type === 'key_in_dialog'))
    if (!crossed(each, entries, records)) breaches.push(`a key went into a dialog: ${JSON.stringify(each)}`);
  for (const screen of shells) if (screen !== 'shell$') breaches.push(`a shell was typed into: ${screen}`);
  return breaches;
}

/** How long a frame may take from the tool to the screen. */
const UNSEEN_MS = 100;

/**
 * Whether the key was on its way when the dialog opened, so no look could have shown it. Only if the storm opened the
 * dialog during typing, never if it was open before.
 */
function crossed(key: TranscriptRecord, entries: Entry[], records: TranscriptRecord[]): boolean {
  const opened = records.find(
    (each) => each.type === 'dialog_opened' && each['dialog_id'] === key['dialog_id'] && each.at <= key.at,
  );
  const sent = entries
    .flatMap(({ fault, result }) => result.evidence.map(({ atUtc, facts }) => ({ fault, atUtc, facts })))
    .findLast(({ atUtc, facts }) => 'sent' in facts && atUtc <= key.at);
  if (!opened || sent?.fault !== 'modal_during') return false;
  return Date.parse(sent.atUtc) <= Date.parse(opened.at) + UNSEEN_MS;
}

/** Some skins turn tabs into spaces, like the tools they imitate. */
function taken(text: unknown): string {
  return String(text).replaceAll('\t', '    ');
}

function named({ number, fault, result, tries }: Entry): string {
  return `#${number} ${fault} → ${result.outcome} (${tries}) ${reasonTexts(result.reasons).join('; ')}`;
}

function shown(entry: Entry): void {
  if (process.env['ROUSE_PROOF_SHOW'])
    process.stderr.write(`${(performance.now() / 1000).toFixed(1)} ${entry.text.length} ${named(entry)}\n`);
}

/** Reports how the prompts ended, by fault. */
function report(lane: string, breaches: string[], { entries }: Storm, records: TranscriptRecord[]): void {
  const outcomes: Record<string, number> = {};
  const faults: Record<string, Record<string, number>> = {};
  for (const { fault, result } of entries)
    for (const row of [outcomes, totals, (faults[fault] ??= {})])
      row[result.outcome] = (row[result.outcome] ?? 0) + 1;
  totals.judged += entries.length;
  totals.breaches += breaches.length;
  const keys = records.filter(({ type }) => type === 'key_in_dialog');
  const crossings = keys.filter((key) => crossed(key, entries, records)).length;
  proofReport(
    `storm, ${lane}: ${entries.length} prompts, ${inWords({ ...outcomes, crossings })}; ${breaches.length} breaches`,
    ...Object.entries(faults).map(([fault, row]) => `  ${fault}: ${inWords(row)}`),
    ...breaches,
  );
}
