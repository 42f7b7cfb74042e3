import { describe, expect, it } from 'vitest';
import { SessionLine, type Tmux } from '../../src/tmux/index.ts';
import { PLAIN_SHELL, withTmux } from '../support/tmux.ts';
import { screenShows } from './reader.ts';

const SESSION = { name: 'a', width: 60, height: 10 };

describe('pane', () => {
  it('a pane captures the screen plain, with escapes, with history and with wrapped rows joined', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const long = 'x'.repeat(70);
      const script = `seq 1 40; printf '%s\\n' ${long}; printf '\\033[31mrödé\\033[0m plain END'; exec sleep 600`;
      const { paneId } = await tmux.newSession({ ...SESSION, cwd: dir, command: ['sh', '-c', script] });
      await screenShows(context, 'a', paneId, 'END');
      const plain = await tmux.capturePane(paneId);
      expect(plain.split('\n')).toHaveLength(10);
      expect(plain).toContain('rödé plain END');
      expect(plain).toContain(`${'x'.repeat(60)}\n${'x'.repeat(10)}\n`);
      expect(await tmux.capturePane(paneId, { escapes: true })).toContain(
        '\u001b[31mrödé\u001b[39m plain END',
      );
      expect(await tmux.capturePane(paneId, { join: true })).toContain(`${long}\n`);
      expect((await tmux.capturePane(paneId, { history: 2 })).split('\n')).toHaveLength(12);
      expect((await tmux.capturePane(paneId, { history: 'all' })).split('\n')[0]).toBe('1');
    }));

  it('screen and facts of a pane are of one instant, by process and by control client', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      // Wherever tmux stops reading, the cursor is after the written text.
      const command = ['sh', '-c', 'while :; do printf x; done'];
      const { paneId } = await tmux.newSession({ ...SESSION, cwd: dir, command });
      const client = await SessionLine.join(tmux.exec, 'a');
      const agree = async (by: Tmux): Promise<void> => {
        for (let round = 0; round < 40; round++) {
          const { pane, screen } = await by.snapshotPane(paneId);
          expect(screen.split('\n')[pane.cursorY]).toBe('x'.repeat(pane.cursorX));
        }
      };
      await agree(tmux);
      await agree(tmux.via(client));
      await client.close();
    }));

  it('titles and program names of a pane are read as text, and nothing in them runs', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const title = '#(touch pwned) #{pid} %end 1 2 1 ✳ ready';
      const script = `printf '\\033]2;%s\\033\\\\READY' '${title}'; exec -a "$(printf 'evil\\n%%end\\tx')" sleep 600`;
      const { paneId } = await tmux.newSession({ ...SESSION, cwd: dir, command: ['bash', '-c', script] });
      await screenShows(context, 'a', paneId, 'READY');
      const client = await SessionLine.join(tmux.exec, 'a');
      for (const by of [tmux, tmux.via(client)]) {
        await expect.poll(async () => (await by.showPane(paneId)).currentCommand).toBe('evil?%end?x');
        expect(await by.showPane(paneId)).toMatchObject({
          title,
          id: paneId,
          inMode: false,
          cursorVisible: true,
        });
        expect(await by.listPanes('a')).toHaveLength(1);
      }
      await client.close();
    }));

  it('a pane reports modes, alternate screen, cursor and a switched-off input', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const script = "printf '\\033[?1049h\\033[?25l\\033[3;5HREADY'; exec sleep 600";
      const { paneId } = await tmux.newSession({ ...SESSION, cwd: dir, command: ['sh', '-c', script] });
      await screenShows(context, 'a', paneId, 'READY');
      expect(await tmux.showPane(paneId)).toMatchObject({
        alternateOn: true,
        cursorVisible: false,
        cursorX: 9,
        cursorY: 2,
        inMode: false,
        inputOff: false,
      });
      await tmux.run([
        ['copy-mode', '-t', paneId],
        ['select-pane', '-d', '-t', paneId],
      ]);
      expect(await tmux.showPane(paneId)).toMatchObject({ inMode: true, mode: 'copy-mode', inputOff: true });
      await tmux.leaveMode(paneId);
      await tmux.leaveMode(paneId);
      expect(await tmux.showPane(paneId)).toMatchObject({ inMode: false, mode: '' });
    }));

  it('a missing pane is reported as gone, and never answered with another pane', () =>
    withTmux(async ({ tmux, dir }) => {
      await tmux.newSession({ ...SESSION, cwd: dir, command: PLAIN_SHELL });
      const client = await SessionLine.join(tmux.exec, 'a');
      for (const by of [tmux, tmux.via(client)]) {
        for (const ask of [
          () => by.showPane('%42'),
          () => by.snapshotPane('%42'),
          () => by.capturePane('%42'),
          () => by.sendLiteral('%42', 'x'),
          () => by.pressEnter('%42'),
          () => by.respawnPane('%42', { cwd: '/' }),
        ]) {
          await expect(ask()).rejects.toMatchObject({ code: 'not_found', facts: { tmux: 'no_pane' } });
        }
      }
      await client.close();
    }));

  it.each(['', '0', '%', '%1;', '=a:0.0', '%1 -X', 'a'])('%j is refused as a pane id', (pane) =>
    withTmux(async ({ tmux }) => {
      for (const ask of [
        () => tmux.showPane(pane),
        () => tmux.pasteBuffer(pane, 'rouse-x'),
        () => tmux.pressEnter(pane),
      ]) {
        await expect(ask()).rejects.toMatchObject({ code: 'invalid' });
      }
    }),
  );
});
