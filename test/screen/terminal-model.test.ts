import * as fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseCaptureFile } from '../../src/screen/capture-file.ts';
import { screenText } from '../../src/screen/model/screen.ts';
import { observe } from '../../src/screen/observe.ts';
import { detectorFor } from '../../src/tools/index.ts';
import { TerminalModel } from './terminal-model.ts';

const claude = detectorFor('claude');

const ESC = '\u001b';

async function shown(output: string, size = { columns: 40, height: 6 }) {
  const model = await TerminalModel.open(size);
  await model.write(output);
  const screen = model.screen();
  model.close();
  return screen;
}

describe('a terminal fed with raw output', () => {
  it('a terminal fed with raw output follows cursor, title, screen buffer and the visibility of the cursor', async () => {
    const screen = await shown(`${ESC}[?1049h${ESC}[2J${ESC}[3;5Hab${ESC}]2;◐ Claude Code\u0007${ESC}[?25l`);
    expect(screen.cursor).toEqual({ x: 6, y: 2, visible: false });
    expect(screen.title).toBe('◐ Claude Code');
    expect(screen.alternate).toBe(true);
    expect((await shown(`${ESC}[?25l${ESC}[?25h`)).cursor?.visible).toBe(true);
  });

  it('a terminal fed with raw output joins characters that arrive in pieces', async () => {
    const model = await TerminalModel.open({ columns: 20, height: 2 });
    const bytes = Buffer.from('❯ 漢');
    for (const byte of bytes) await model.write(Uint8Array.of(byte));
    expect(screenText(model.screen())).toBe('❯ 漢');
    model.close();
  });

  it('a terminal fed with raw output shows what is on the screen, not what has scrolled away', async () => {
    const screen = await shown(Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\r\n'));
    expect(screenText(screen).split('\n')).toEqual([14, 15, 16, 17, 18, 19].map((index) => `line ${index}`));
  });

  it('a terminal fed with raw output is read like a snapshot of the same screen', async () => {
    const file = new URL('./fixtures/claude-2.1.325-completed.ansi.txt', import.meta.url);
    const capture = parseCaptureFile(fs.readFileSync(file, 'utf8'), 'capture');
    const body = fs.readFileSync(file, 'utf8').split('\n').slice(1, -1).join('\r\n');
    const { x, y } = capture.screen.cursor!;
    const fed = await shown(`${ESC}[H${body}${ESC}[${y + 1};${x + 1}H${ESC}[?25l`, {
      columns: 100,
      height: 30,
    });
    const process = { foreground: 'tool' as const };
    const posture = (screen: typeof fed): string =>
      observe({ screen, detector: claude, process }).surface.ready_posture.value;
    expect(posture(fed)).toBe('yes');
    expect(posture(capture.screen)).toBe('yes');
  });
});
