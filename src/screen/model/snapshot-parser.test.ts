import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TerminalModel } from '../../../test/screen/terminal-model.ts';
import { parseSnapshot } from './snapshot-parser.ts';

const ESC = '\u001b';

describe('a captured pane', () => {
  it('carries a style over line ends, as tmux writes it', () => {
    const screen = parseSnapshot(`${ESC}[2mdim\nstill dim${ESC}[0m plain`);
    expect(screen.rows[0]!.style(0).dim).toBe(true);
    expect(screen.rows[1]!.style(0).dim).toBe(true);
    expect(screen.rows[1]!.style(11).dim).toBe(false);
    expect(screen.rows[1]!.text).toBe('still dim plain');
  });

  it('reads palette, true colour and colon forms', () => {
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

  it('skips hyperlinks, title strings and foreign sequences whole', () => {
    const text = `a${ESC}]8;;https://x.y/${ESC}\\b${ESC}]8;;\u0007c${ESC}[2Kd${ESC}(Be${ESC}Pq~${ESC}\\f`;
    expect(parseSnapshot(text).rows[0]!.text).toBe('abcdef');
  });

  it('gives wide characters two columns and marks none', () => {
    const row = parseSnapshot('漢e\u0301👩‍💻x').rows[0]!;
    expect(row.chars).toEqual(['漢', '', 'e\u0301', '👩‍💻', '', 'x']);
  });

  it('has exactly the rows and columns it was told of', () => {
    const screen = parseSnapshot('one\ntwo\n', { columns: 80, height: 24 });
    expect(screen.rows).toHaveLength(24);
    expect(screen.columns).toBe(80);
    expect(screen.rows[23]!.blank).toBe(true);
  });

  it('knows a capture without any style', () => {
    expect(parseSnapshot('plain').styled).toBe(false);
    expect(parseSnapshot(`${ESC}[1mbold`).styled).toBe(true);
    expect(parseSnapshot(`${ESC}[0mreset only`).styled).toBe(false);
  });

  it('reads whatever it is given without failing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const screen = parseSnapshot(text);
        for (const row of screen.rows) expect(row.chars.length).toBe(row.styles.length);
      }),
    );
  });

  it('reads styled text as the terminal itself shows it', async () => {
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
