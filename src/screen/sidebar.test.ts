import { describe, expect, it } from 'vitest';
import { judge, loadFixtures } from '../../test/screen/captured-fixtures.ts';
import { detectorFor } from '../tools/index.ts';
import { Row } from './model/screen.ts';
import { mainPart } from './sidebar.ts';

const open = loadFixtures().filter(({ tool, state }) => tool === 'copilot' && state.includes('sidebar'));

describe('a panel beside the composer', () => {
  it('a panel at the left is left out, and the composer keeps its place on the whole screen', () => {
    expect(open.length).toBeGreaterThan(5);
    for (const fixture of open) {
      const { screen } = fixture.capture;
      const { offset } = mainPart(screen, detectorFor('copilot'));
      expect([fixture.name, offset > 20]).toEqual([fixture.name, true]);
      const { region } = judge(fixture).facts.composer.value!;
      expect([fixture.name, region.textColumn]).toEqual([fixture.name, screen.cursor!.x]);
      expect([fixture.name, region.right]).toEqual([fixture.name, screen.columns]);
    }
  });

  it('a vertical rule with a gap, or right of the cursor, is not the edge of a panel', () => {
    const { screen } = open[0]!.capture;
    const detector = detectorFor('copilot');
    const [first, ...rest] = screen.rows;
    const broken = new Row(
      first!.chars.map((char) => (char === '│' ? ' ' : char)),
      first!.styles,
    );
    expect(mainPart({ ...screen, rows: [broken, ...rest] }, detector).offset).toBe(0);
    expect(mainPart({ ...screen, cursor: { ...screen.cursor!, x: 3 } }, detector).offset).toBe(0);
    expect(mainPart(screen, detectorFor('kimi')).offset).toBe(0);
  });
});
