import { describe, expect, it } from 'vitest';
import { SessionLine } from '../../src/tmux/index.ts';
import { PLAIN_SHELL, withTmux } from '../support/tmux.ts';

const SESSION = { name: 'a', width: 100, height: 30, command: PLAIN_SHELL };

describe('clients', () => {
  it('the list of clients distinguishes a person from a program, and has the time of the person’s last key', () =>
    withTmux((pane) =>
      withTmux(async ({ tmux, dir, socketPath }) => {
        await tmux.newSession({ ...SESSION, cwd: dir });
        const watcher = await SessionLine.join(tmux.exec, 'a');
        expect((await tmux.listClients('a')).map(({ person }) => person)).toEqual([false]);

        const came = watcher.events.next(({ kind }) => kind === 'client-session-changed');
        const command = ['env', '-u', 'TMUX', 'tmux', '-S', socketPath, 'attach-session', '-t', '=a:'];
        const terminal = { name: 'pane', cwd: dir, width: 120, height: 41, command };
        const { paneId: keyboard } = await pane.tmux.newSession(terminal);
        await came;
        const person = async () => (await tmux.listClients('a')).find((client) => client.person);
        expect(await person()).toMatchObject({ control: false, readOnly: false, width: 120, height: 41 });
        // The window has the person's size (less the status line), not the watcher's.
        expect((await tmux.listPanes('a'))[0]).toMatchObject({ width: 120, height: 40 });

        const idle = (await person())!.activity;
        await expect.poll(() => Date.now(), { timeout: 10_000 }).toBeGreaterThan(idle.getTime() + 2_000);
        expect((await person())!.activity).toEqual(idle);
        await pane.tmux.sendLiteral(keyboard, 'x');
        await expect.poll(async () => (await person())!.activity.getTime()).toBeGreaterThan(idle.getTime());
        await watcher.close();
      }),
    ));

  it('the list of clients marks a read-only client', () =>
    withTmux((pane) =>
      withTmux(async ({ tmux, dir, socketPath }) => {
        const { paneId } = await tmux.newSession({ ...SESSION, cwd: dir });
        const watcher = await SessionLine.join(tmux.exec, 'a');
        const came = watcher.events.next(({ kind }) => kind === 'client-session-changed');
        const command = ['env', '-u', 'TMUX', 'tmux', '-S', socketPath, 'attach-session', '-r', '-t', '=a:'];
        await pane.tmux.newSession({ name: 'pane', cwd: dir, width: 120, height: 41, command });
        await came;
        expect((await tmux.listClients('a')).find(({ person }) => person)).toMatchObject({ readOnly: true });
        await tmux.pressEnter(paneId);
        await tmux.via(watcher).sendKeyName(paneId, 'Enter');
        await watcher.close();
      }),
    ));
});
