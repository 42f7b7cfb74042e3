import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TerminalModel } from '../../../test/screen/terminal-model.ts';
import { parseSnapshot } from './snapshot-parser.ts';

const ESC = '\u001b';

describe('a captured pane', () => {
  it('a style of a captured pane continues over line ends, as tmux writes it', () => {
    const screen = parseSnapshot(`${ESC}[2mdim\nstill dim${ESC}[0m plain`);
    expect(screen.rows[0]!.style(0).dim).toBe(true);
    expect(screen.rows[1]!.style(0).dim).toBe(true);
    expect(screen.rows[1]!.style(11).dim).toBe(false);
    expect(screen.rows[1]!.text).toBe('still dim plain');
  });

  it('colours of a captured pane are read in palette, true colour and colon forms', () => {
    const row = parseSnapshot(
      `${ESC}[38;5;244ma${ESC}[38;2;0;10;255mb${ESC}[38:2::1:2:3mc${ESC}[48:5:7md${ESC}[91me${ESC}[39;49mf`,
    ).rows[0]!;
    expect([0, 1, 2, 3, 4, 5].map((x) => row.style(x).fg)).toEqual([
      244,
      '#000aff',
      '#010203',
      '#010203',
      9,
      null,
    ]);
    expect(row.style(3).bg).toBe(7);
  });

  it('hyperlinks, title strings and unknown sequences of a captured pane are skipped', () => {
    const text = `a${ESC}]8;;https://x.y/${ESC}\\b${ESC}]8;;\u0007c${ESC}[2Kd${ESC}(Be${ESC}Pq~${ESC}\\f`;
    expect(parseSnapshot(text).rows[0]!.text).toBe('abcdef');
  });

  it('a wide character takes two columns and a combining mark none', () => {
    const row = parseSnapshot('漢e\u0301👩‍💻x').rows[0]!;
    expect(row.chars).toEqual(['漢', '', 'e\u0301', '👩‍💻', '', 'x']);
  });

  it('a captured pane has exactly the requested rows and columns', () => {
    const screen = parseSnapshot('one\ntwo\n', { columns: 80, height: 24 });
    expect(screen.rows).toHaveLength(24);
    expect(screen.columns).toBe(80);
    expect(screen.rows[23]!.blank).toBe(true);
  });

  it('a capture without any style is recognised', () => {
    expect(parseSnapshot('plain').styled).toBe(false);
    expect(parseSnapshot(`${ESC}[1mbold`).styled).toBe(true);
    expect(parseSnapshot(`${ESC}[0mreset only`).styled).toBe(false);
  });

  it('any text can be read as a captured pane', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const screen = parseSnapshot(text);
        for (const row of screen.rows) expect(row.chars.length).toBe(row.styles.length);
      }),
    );
  });

  it('styled text is read as the terminal shows it', async () => {
    const piece = fc.record({
      sgr: fc.constantFrom(
        '0',
        '1',
        '2',
        '7',
        '22',
        '27',
        '31',
        '38;5;244',
        '38;2;1;2;3',
        '39',
        '48;5;3',
        '49',
        '0;1',
      ),
      text: fc.stringMatching(/^[a-z ❯›─漢é]{0,6}$/u),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const line = `${pieces.map(({ sgr, text }) => `${ESC}[${sgr}m${text}`).join('')}${ESC}[0m|`;
        const model = await TerminalModel.open({ columns: 80, height: 1 });
        await model.write(line);
        const fed = model.screen().rows[0]!;
        const read = parseSnapshot(line).rows[0]!;
        model.close();
        expect(read.text).toBe(fed.text);
        for (let x = 0; x < read.chars.length; x++) expect(read.style(x)).toEqual(fed.style(x));
      }),
      { numRuns: 60 },
    );
  });
});
