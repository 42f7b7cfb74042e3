import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findComposer } from '../../src/screen/find-composer.ts';
import { Row, type Screen } from '../../src/screen/model/screen.ts';
import { detectorFor } from '../../src/tools/index.ts';
import { proofReport } from '../support/proof-report.ts';
import { expectedOf, type Fixture, judge, loadFixtures } from './captured-fixtures.ts';

/** The number of damaged screens for each property. */
const DRAWS = process.env['ROUSE_PROOF'] === 'full' ? 20_000 : 2_000;

const fixtures = loadFixtures();
const notReady = fixtures.filter((fixture) => expectedOf(fixture) !== 'ready');
const ready = fixtures.filter((fixture) => expectedOf(fixture) === 'ready');
/** Screens that are recognised by more than one word of the footer. */
const dead = notReady.filter(({ state }) => !/^(busy|menu|exit-armed|limit|logged-out)/.test(state));

const oneOf = (list: Fixture[]) => fc.nat(list.length - 1);

const never = (fixture: Fixture, screen: Screen): void =>
  expect([fixture.name, judge(fixture, screen).gate.ready]).toEqual([fixture.name, false]);

/** Cuts off rows and columns at the edges, as a smaller window does. */
function crop(screen: Screen, top: number, columns: number): Screen {
  const rows = screen.rows
    .slice(top)
    .map((row) => new Row(row.chars.slice(0, columns), row.styles.slice(0, columns)));
  const cursor = screen.cursor && { ...screen.cursor, y: screen.cursor.y - top };
  return { ...screen, rows, height: rows.length, columns: Math.min(columns, screen.columns), cursor };
}

/** Puts letters into blank cells. */
function noise(screen: Screen, hits: { y: number; x: number; letter: string }[]): Screen {
  const rows = [...screen.rows];
  for (const { y, x, letter } of hits) {
    const row = rows[y % rows.length]!;
    const chars = Array.from({ length: Math.max(row.chars.length, screen.columns) }, (_, at) => row.char(at));
    const styles = chars.map((_, at) => row.style(at));
    chars[x % chars.length] = letter;
    rows[y % rows.length] = new Row(chars, styles);
  }
  return { ...screen, rows };
}

const hit = fc.record({
  y: fc.nat(200),
  x: fc.nat(200),
  letter: fc.constantFrom('a', 'Z', '7', '─', '❯', '|'),
});

/** Requires that no damaged screen of the property is ready. */
function holds<T>(damage: string, property: fc.IProperty<T>): void {
  fc.assert(property, { numRuns: DRAWS });
  proofReport(`${DRAWS} screens with ${damage}: 0 read as ready`);
}

describe('damaged screens', () => {
  it('damaged screens of drafts, dialogs and dead tools are never ready with their edges cut off', () => {
    holds(
      'edges cut off',
      fc.property(oneOf(dead), fc.nat(20), fc.integer({ min: 20, max: 220 }), (index, top, columns) => {
        const fixture = dead[index]!;
        never(fixture, crop(fixture.capture.screen, top, columns));
      }),
    );
  });

  it('damaged screens of running turns are never ready when the window is lower', () => {
    for (const fixture of notReady.filter(({ state }) => state.startsWith('busy'))) {
      const { screen } = fixture.capture;
      const detector = detectorFor(fixture.tool, { version: fixture.version });
      const top = findComposer(screen, detector.composers)?.top ?? screen.height;
      for (let cut = 0; cut < top - 12; cut++) never(fixture, crop(screen, cut, screen.columns));
    }
  });

  it('damaged screens with random letters are never ready', () => {
    holds(
      'letters strewn over them',
      fc.property(oneOf(dead), fc.array(hit, { minLength: 1, maxLength: 40 }), (index, hits) => {
        const fixture = dead[index]!;
        never(fixture, noise(fixture.capture.screen, hits));
      }),
    );
  });

  it('damaged screens of a starting codex are never ready with random letters in its footer', () => {
    const starting = dead.filter(({ tool, state }) => tool === 'codex' && state.startsWith('starting'));
    expect(starting.length).toBeGreaterThan(0);
    holds(
      'letters in the footer of a starting codex',
      fc.property(oneOf(starting), fc.array(hit, { minLength: 1, maxLength: 12 }), (index, hits) => {
        const { screen } = starting[index]!.capture;
        const low = hits.map((each) => ({
          ...each,
          x: each.x % 24,
          y: screen.rows.length - 1 - (each.y % 3),
        }));
        never(starting[index]!, noise(screen, low));
      }),
    );
  });

  it('damaged screens with the cursor anywhere but in the composer are never ready', () => {
    holds(
      'the cursor elsewhere',
      fc.property(oneOf(ready), fc.nat(220), fc.nat(60), (index, x, y) => {
        const fixture = ready[index]!;
        const { screen } = fixture.capture;
        fc.pre(x !== screen.cursor!.x || y !== screen.cursor!.y);
        never(fixture, { ...screen, cursor: { ...screen.cursor!, x, y } });
      }),
    );
  });

  it('damaged screens with the cursor in the text column of any other row are never ready', () => {
    for (const fixture of ready) {
      const { screen } = fixture.capture;
      for (let y = 0; y < screen.height; y++)
        if (y !== screen.cursor!.y) never(fixture, { ...screen, cursor: { ...screen.cursor!, y } });
    }
  });

  it('damaged screens with one letter in the composer are drafts', () => {
    for (const fixture of ready) {
      const { screen } = fixture.capture;
      const { x, y } = screen.cursor!;
      const typed = noise(screen, [{ y, x, letter: 'w' }]);
      never(fixture, { ...typed, cursor: { ...screen.cursor!, x: x + 1 } });
    }
  });

  it('damaged screens of tools that hide the cursor in dialogs are never ready without a cursor', () => {
    for (const fixture of ready.filter(({ tool }) =>
      ['codex', 'opencode', 'qwen', 'copilot'].includes(tool),
    )) {
      const { screen } = fixture.capture;
      never(fixture, { ...screen, cursor: { ...screen.cursor!, visible: false } });
    }
  });

  it('damaged screens without any rows or columns are never ready', () => {
    for (const fixture of fixtures) {
      never(fixture, { ...fixture.capture.screen, rows: [], height: 0 });
      never(fixture, { ...fixture.capture.screen, cursor: undefined });
    }
  });
});
