import { describe, expect, it } from 'vitest';
import { parseCaptureFile } from '../../src/screen/capture-file.ts';
import { detectorsOf, TOOLS } from '../../src/tools/index.ts';
import { inWords, proofReport } from '../support/proof-report.ts';
import { expectedOf, type Fixture, judge, loadFixtures, verdictOn } from './captured-fixtures.ts';

const fixtures = loadFixtures();

const isPasted = ({ tried }: Fixture): boolean => tried !== undefined && tried !== 'not_tried';

/** Captures of test/agents/screens/scenes/windows.ts. */
const WINDOW = /^#.* setup="window: /;

describe('captured screens of real tools', () => {
  it.each(fixtures.map((fixture) => [fixture.name, fixture] as const))('%s', (_, fixture) => {
    const { gate } = judge(fixture);
    const codes = gate.ready ? ['ready'] : gate.reasons.map(({ code }) => code as string);
    expect([codes, verdictOn(fixture)]).toEqual([codes, 'right']);
  });

  /** Prints the results for these captures and requires all of them to be right. */
  function readRight(what: string, captures: Fixture[], least: number): void {
    const counts: Record<string, Record<string, number>> = {};
    for (const fixture of captures) {
      const verdict = verdictOn(fixture);
      const count = (counts[fixture.tool] ??= { captures: 0, pasted: 0, right: 0, deaf: 0, false_ready: 0 });
      count['captures']!++;
      if (isPasted(fixture)) count['pasted']!++;
      count[verdict] = (count[verdict] ?? 0) + 1;
    }
    console.table(counts);
    const total = (of: string): number =>
      Object.values(counts).reduce((sum, count) => sum + (count[of] ?? 0), 0);
    const sums = Object.fromEntries(
      ['captures', 'pasted', 'right', 'deaf', 'false_ready', 'wrong_reason'].map((of) => [of, total(of)]),
    );
    proofReport(`screens of ${Object.keys(counts).length} tools, ${what}: ${inWords(sums)}`);
    expect(Object.keys(counts)).toHaveLength(8);
    expect(captures.length).toBeGreaterThanOrEqual(least);
    expect(sums['false_ready']).toBe(0);
    expect(sums['right']! / captures.length).toBeGreaterThanOrEqual(0.995);
  }

  it('captured screens labelled by pasting a prompt are read correctly', () => {
    const labelled = fixtures.filter(({ tried }) => tried !== undefined);
    readRight('labelled where they were taken', labelled, 200);
  });

  it('captured screens in windows of other sizes and colours, labelled by pasting a prompt, are read correctly', () => {
    const windows = fixtures.filter(({ text }) => WINDOW.test(text));
    expect(windows.filter((fixture) => !isPasted(fixture))).toEqual([]);
    readRight('in other windows', windows, 750);
  });

  it('captured screens with a list of commands show which command Enter would choose', () => {
    const chosen = (tool: string): Set<string | undefined> =>
      new Set(
        fixtures
          .filter((fixture) => fixture.tool === tool && fixture.state.startsWith('slash-menu'))
          .map((fixture) => judge(fixture).facts.menu.value?.chosen),
      );
    expect(chosen('codex')).toEqual(new Set(['/model']));
    expect(chosen('gemini')).toEqual(new Set(['/clear', '/memory']));
    expect(chosen('opencode')).toEqual(new Set(['/agents']));
    expect(chosen('qwen')).toEqual(new Set(['/model', '/memory']));
    expect(chosen('kimi')).toEqual(new Set(['/yolo', '/model']));
    expect(chosen('pi')).toEqual(new Set(['/settings', '/model', '/changelog']));
    expect(chosen('copilot')).toEqual(new Set(['/add-dir']));
    // Before 2.1.300 the list is below and marks its entry only by colour, so the entry is uncertain.
    expect(chosen('claude')).toEqual(new Set([undefined, '/add-dir', '/statusline', '/copy']));
  });

  it('captured screens exist for every version that a detector lists as seen', () => {
    const captured = new Set(fixtures.map(({ tool, version }) => `${tool} ${version}`));
    for (const { tool, versions } of TOOLS.flatMap(detectorsOf)) {
      if (tool === 'scripted') continue;
      for (const seen of versions.seen) expect(captured).toContain(`${tool} ${seen}`);
    }
  });

  it('captured screens without their colours are ready only if the composer is clearly empty', () => {
    // A decoy differs from the real row only by its colour, and so does a box of pi from plain text.
    for (const fixture of fixtures.filter(({ state }) => !/decoy|compacted/.test(state))) {
      const bare = fixture.text.replace(/\u001b\[[\d;:]*m/g, '');
      const { screen } = parseCaptureFile(bare, fixture.name);
      const { facts, gate } = judge(fixture, screen);
      if (expectedOf(fixture) !== 'ready') expect([fixture.name, gate.ready]).toEqual([fixture.name, false]);
      else if (gate.ready)
        expect([fixture.name, facts.composer.value?.state]).toEqual([fixture.name, 'empty']);
      else expect([fixture.name, facts.composer.value?.state]).toEqual([fixture.name, 'unclear']);
    }
  });

  it('captured screens have the same meaning if the first line has no size', () => {
    for (const fixture of fixtures) {
      const { screen } = parseCaptureFile(fixture.text.replace(/ size=\d+x\d+/, ''), fixture.name);
      expect([fixture.name, judge(fixture, screen).gate.ready]).toEqual([
        fixture.name,
        judge(fixture).gate.ready,
      ]);
    }
  });

  it('captured screens of a running turn are not ready without their title', () => {
    for (const fixture of fixtures.filter(({ state }) => state.startsWith('busy'))) {
      for (const title of ['', 'devhost', 'some other title']) {
        const { gate } = judge(fixture, { ...fixture.capture.screen, title }, 'devhost');
        expect([fixture.name, title, gate.ready]).toEqual([fixture.name, title, false]);
      }
    }
  });

  it('captured screens are not ready if the version is unknown', () => {
    const ready = fixtures.find(({ tool, state }) => tool === 'claude' && state === 'completed')!;
    const { gate } = judge({ ...ready, version: '9.0.0' });
    expect(gate.ready ? [] : gate.reasons.map(({ code }) => code)).toEqual(['unknown_version']);
  });
});
