import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pasteText, tmuxProblemOf } from '../../src/tmux/index.ts';
import { PLAIN_SHELL, pastePane, withTmux } from '../support/tmux.ts';
import { openReader, PASTE_BEGIN, PASTE_END } from './reader.ts';

const TRICKY = 'naïve 日本語 🧑‍🚀 \t;-"$HOME"#{pid}\\ ~ {a;b} %if \u0301;';

describe('paste', () => {
  it('a paste delivers more than a megabyte of any Unicode as one bracketed paste, byte for byte', () =>
    withTmux(async (context) => {
      const reader = await openReader(context);
      const text = TRICKY.repeat(20_000);
      expect(Buffer.byteLength(text)).toBeGreaterThan(1_000_000);
      await pastePane(context.tmux, reader.paneId, text);
      expect(await reader.untilText(PASTE_END)).toBe(`${PASTE_BEGIN}${text}${PASTE_END}`);
      expect(await context.tmux.run([['list-buffers']])).toBe('');
      reader.close();
    }));

  it('a paste delivers line ends as CR like a terminal does, or as LF when asked', () =>
    withTmux(async (context) => {
      const reader = await openReader(context);
      await pastePane(context.tmux, reader.paneId, 'one\ntwo\n\n');
      await pastePane(context.tmux, reader.paneId, 'one\ntwo', { keepLineFeeds: true });
      const got = await reader.untilText(`two${PASTE_END}`);
      expect(got).toBe(`${PASTE_BEGIN}one\rtwo\r\r${PASTE_END}${PASTE_BEGIN}one\ntwo${PASTE_END}`);
      reader.close();
    }));

  it('a paste sends no brackets to a program that has not asked for them', () =>
    withTmux(async (context) => {
      const reader = await openReader(context, 'plain');
      await pastePane(context.tmux, reader.paneId, 'bare END');
      expect(await reader.untilText('END')).toBe('bare END');
      reader.close();
    }));

  it('pastes of concurrent senders are not mixed', () =>
    withTmux(async (context) => {
      const [left, right] = [await openReader(context), await openReader(context)];
      const texts = Array.from({ length: 8 }, (_, n) => `${n}`.repeat(5_000));
      await Promise.all(texts.map((text, n) => pastePane(context.tmux, (n % 2 ? right : left).paneId, text)));
      for (const [reader, odd] of [[left, 0] as const, [right, 1] as const]) {
        const mine = texts.filter((_, n) => n % 2 === odd).map((text) => `${PASTE_BEGIN}${text}${PASTE_END}`);
        const got = (await reader.until((bytes) => bytes.length === mine.join('').length)).toString();
        expect(mine.every((paste) => got.includes(paste))).toBe(true);
        reader.close();
      }
      expect(await context.tmux.run([['list-buffers']])).toBe('');
    }));

  it.each([
    ['nothing', '', /nothing to paste/],
    ['an escape that would close the brackets', 'a\u001b[201~!rm\r', /U\+001B/],
    ['a carriage return', 'a\rb', /U\+000D/],
    ['a C1 control', 'a\u009b201~', /U\+009B/],
    ['NUL', 'a\u0000', /U\+0000/],
  ])('a paste refuses %s and leaves no buffer', (_what, text, message) =>
    withTmux(async ({ tmux, dir }) => {
      const { paneId } = await tmux.newSession({
        name: 'a',
        cwd: dir,
        width: 80,
        height: 24,
        command: PLAIN_SHELL,
      });
      const error = await pastePane(tmux, paneId, text).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: 'invalid', message: expect.stringMatching(message) });
      expect(await tmux.run([['list-buffers']])).toBe('');
    }),
  );

  it('text for a paste is cleaned, and clean text is not changed', () => {
    const check = fc.property(fc.string({ unit: 'binary' }), (text) => {
      const clean = pasteText(text);
      expect(clean).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      expect(pasteText(clean)).toBe(clean);
    });
    void fc.assert(check);
    expect(pasteText(TRICKY)).toBe(TRICKY);
    expect(pasteText('a\r\nb\rc\u001b[201~\ud800')).toBe('a\nb\nc[201~\ufffd');
  });

  it('a paste survives a dead pane: nothing is pasted, the buffer is gone and so is no session', () =>
    withTmux(async ({ tmux, dir }) => {
      const dead = await tmux.newSession({ name: 'a', cwd: dir, width: 80, height: 24, remainOnExit: true });
      await tmux.newSession({ name: 'b', cwd: dir, width: 80, height: 24, command: PLAIN_SHELL });
      await tmux.respawnPane(dead.paneId, { cwd: dir, kill: true, command: ['sh', '-c', 'exit 7'] });
      // tmux sees the closed terminal and the ended program one after the other.
      await expect.poll(() => tmux.showPane(dead.paneId)).toMatchObject({ dead: true, deadStatus: 7 });
      for (const type of [
        () => pastePane(tmux, dead.paneId, 'x'),
        () => tmux.sendLiteral(dead.paneId, 'x'),
        () => tmux.pressEnter(dead.paneId),
      ]) {
        const error = await type().catch((caught: unknown) => caught);
        expect(error).toMatchObject({ code: 'not_ready', message: expect.stringContaining('has ended') });
        expect(tmuxProblemOf(error)).toBe('refused');
      }
      expect(await tmux.run([['list-buffers']])).toBe('');
      expect(await tmux.hasSession('b')).toBe(true);
    }));

  it('a paste refuses a pane in copy mode, with its input off, or that is gone', () =>
    withTmux(async (context) => {
      const { tmux } = context;
      const reader = await openReader(context);
      const refusal = (): Promise<unknown> =>
        pastePane(tmux, reader.paneId, 'x').catch((error: unknown) => error);
      await tmux.run([['copy-mode', '-t', reader.paneId]]);
      expect(await refusal()).toMatchObject({ code: 'not_ready', facts: { condition: 'pane_in_mode' } });
      await tmux.leaveMode(reader.paneId);
      await tmux.run([['select-pane', '-d', '-t', reader.paneId]]);
      expect(await refusal()).toMatchObject({ code: 'not_ready', facts: { condition: 'pane_input_off' } });
      await tmux.run([['select-pane', '-e', '-t', reader.paneId]]);
      await pastePane(tmux, reader.paneId, 'END');
      expect(await reader.untilText(PASTE_END)).toBe(`${PASTE_BEGIN}END${PASTE_END}`);
      expect(tmuxProblemOf(await pastePane(tmux, '%99', 'x').catch((error: unknown) => error))).toBe(
        'no_pane',
      );
      expect(await tmux.run([['list-buffers']])).toBe('');
      reader.close();
    }));

  it('a paste happens only if the expectation still holds', () =>
    withTmux(async (context) => {
      const { tmux } = context;
      const reader = await openReader(context);
      const { pid, cursorX, cursorY, alternateOn } = await tmux.showPane(reader.paneId);
      const buffer = await tmux.loadBuffer('held END');
      const seen = { pid, cursorX, cursorY, alternateOn };
      for (const changed of [
        { pid: pid + 1 },
        { cursorX: cursorX + 1 },
        { cursorY: cursorY + 1 },
        { alternateOn: true },
      ]) {
        await expect(
          tmux.pasteBuffer(reader.paneId, buffer, { expect: { ...seen, ...changed } }),
        ).rejects.toMatchObject({ code: 'not_ready' });
      }
      await tmux.pasteBuffer(reader.paneId, buffer, { expect: seen });
      expect(await reader.untilText(PASTE_END)).toBe(`${PASTE_BEGIN}held END${PASTE_END}`);
      reader.close();
    }));

  it('sweeping pastes removes buffers of killed senders, and no others', () =>
    withTmux(async ({ tmux, dir }) => {
      await tmux.newSession({ name: 'a', cwd: dir, width: 80, height: 24, command: PLAIN_SHELL });
      await tmux.loadBuffer('left behind');
      await tmux.run([['set-buffer', '-b', 'mine', 'text of a person']]);
      expect(await tmux.sweepBuffers(60, new Date())).toBe(0);
      expect(await tmux.sweepBuffers(60, new Date(Date.now() + 62_000))).toBe(1);
      expect(await tmux.run([['list-buffers', '-F', '#{buffer_name}']])).toBe('mine');
    }));
});
