import * as fs from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SessionLine, tmuxProblemOf } from '../../src/tmux/index.ts';
import {
  PLAIN_SHELL,
  type PrivateTmux,
  pastePane,
  sessionNames,
  waitFor,
  withTmux,
} from '../support/tmux.ts';

const SIZE = { width: 100, height: 30, command: PLAIN_SHELL };

describe('session', () => {
  it('a tmux session is found by its exact name, never by the beginning of another', () =>
    withTmux(async ({ tmux, dir }) => {
      await tmux.newSession({ name: 'ab', cwd: dir, ...SIZE });
      expect(await tmux.hasSession('a')).toBe(false);
      for (const act of [
        () => tmux.listPanes('a'),
        () => tmux.killSession('a'),
        () => tmux.newWindow({ session: 'a', name: 'w', cwd: dir }),
        () => tmux.listClients('a'),
      ]) {
        expect(tmuxProblemOf(await act().catch((error: unknown) => error))).toBe('no_session');
      }
      expect(['no_session', 'no_window']).toContain(
        tmuxProblemOf(await tmux.renameWindow('=a:0', 'x').catch((error: unknown) => error)),
      );
      await tmux.newSession({ name: 'a', cwd: dir, ...SIZE });
      await tmux.killSession('a');
      expect(await sessionNames(tmux)).toEqual(['ab']);
    }));

  it('a window with the name of a tmux session is not taken for the session', () =>
    withTmux(async ({ tmux, dir }) => {
      await tmux.newSession({ name: 'a', cwd: dir, ...SIZE });
      await tmux.newSession({ name: 'other', cwd: dir, ...SIZE, windowName: 'a' });
      expect((await tmux.listPanes('a')).map(({ sessionName }) => sessionName)).toEqual(['a']);
    }));

  it.each(['', 'a.b', 'a:b', 'a b', 'a#(id)', '=a', '$1', '@1', '%1', '-a', 'a\nb', '{end}', '~'])(
    '%j is refused as a tmux session name, and no server is started',
    (name) =>
      withTmux(async ({ tmux, dir }) => {
        await expect(tmux.newSession({ name, cwd: dir, ...SIZE })).rejects.toMatchObject({ code: 'invalid' });
        expect(await sessionNames(tmux)).toEqual([]);
      }),
  );

  it.each(['', 'a.b', 'a:b', '=a', '$a', '@1', '%1', 'a\nb', '{end}'])(
    '%j, which no tmux session can be called, is refused',
    (name) =>
      withTmux(async ({ tmux }) => {
        await expect(tmux.hasSession(name)).rejects.toMatchObject({ code: 'invalid' });
      }),
  );

  it.each(['a b', 'a#(id)', '-a', '~'])(
    'a tmux session that a person named %j is found by name and by id',
    (name) =>
      withTmux(async ({ tmux, dir }) => {
        const { sessionId } = await tmux.newSession({ name: 'a', cwd: dir, ...SIZE });
        await tmux.run([['rename-session', '-t', '=a:', '--', name.replaceAll('#', '##')]]);
        expect(await tmux.hasSession(name)).toBe(true);
        expect(await tmux.hasSession(sessionId)).toBe(true);
        expect(await tmux.hasSession('a')).toBe(false);
        expect((await tmux.listPanes(name)).map(({ sessionName }) => sessionName)).toEqual([name]);
      }),
  );

  it.each([
    ['default', ''],
    [
      'base-index 1 and renumbering',
      'set -g base-index 1\nset -g pane-base-index 1\nset -g renumber-windows on\n',
    ],
    ['base-index 7', 'set -g base-index 7\n'],
  ])('a tmux session gives the first window index 0 and keeps it there with %s', (_what, config) =>
    withTmux(
      async ({ tmux, dir }) => {
        const created = await tmux.newSession({ name: 'a', cwd: dir, ...SIZE, windowName: 'agent' });
        expect(created.windowIndex).toBe(0);
        const extra = await tmux.newWindow({ session: 'a', name: 'one', cwd: dir, command: PLAIN_SHELL });
        const gateway = await tmux.newWindow({
          session: 'a',
          name: 'gateway',
          cwd: dir,
          command: PLAIN_SHELL,
        });
        expect(extra.windowIndex).toBe(1);
        await tmux.killWindow('a', extra.windowId);
        const panes = await tmux.listPanes('a');
        expect(
          panes.map(({ windowIndex, windowName, windowActive }) => [windowIndex, windowName, windowActive]),
        ).toEqual([
          [0, 'agent', true],
          [2, 'gateway', false],
        ]);
        expect(panes[1]).toMatchObject({
          windowId: gateway.windowId,
          id: gateway.paneId,
          pid: gateway.panePid,
        });
        expect(panes[0]).toMatchObject({ width: 100, height: 30, dead: false, inMode: false, active: true });
      },
      { config },
    ),
  );

  it('a tmux session leaves the options of a person’s own sessions alone and never opens a window at their index 0', () =>
    withTmux(
      async ({ tmux, dir }) => {
        await tmux.run([['new-session', '-d', '-s', 'person', ...PLAIN_SHELL]]);
        await tmux.newSession({ name: 'a', cwd: dir, ...SIZE });
        expect(await tmux.run([['show-options', '-g', '-v', 'base-index']])).toBe('1');
        expect((await tmux.newWindow({ session: 'person', name: 'w', cwd: dir })).windowIndex).toBe(2);
        await tmux.run([['set-option', '-g', 'base-index', '0']]);
        expect((await tmux.newWindow({ session: 'person', name: 'w', cwd: dir })).windowIndex).toBe(3);
      },
      { config: 'set -g base-index 1\n' },
    ));

  it('a tmux session refuses a second session of the same name as a conflict and leaves the first alone', () =>
    withTmux(async ({ tmux, dir }) => {
      const first = await tmux.newSession({ name: 'a', cwd: dir, ...SIZE });
      for (const env of [undefined, { A: 'b' }]) {
        const again = { name: 'a', cwd: dir, ...SIZE, ...(env ? { env } : {}) };
        await expect(tmux.newSession(again)).rejects.toMatchObject({
          code: 'conflict',
          facts: { tmux: 'duplicate_session' },
        });
      }
      expect((await tmux.listPanes('a')).map(({ id }) => id)).toEqual([first.paneId]);
    }));

  it('a tmux session starts one server for several first sessions at once, and exactly one session per name', () =>
    withTmux(async ({ tmux, dir }) => {
      const made = await Promise.allSettled(
        ['a', 'b', 'a', 'c', 'a', 'b'].map((name, n) =>
          tmux.newSession({ name, cwd: dir, ...SIZE, ...(n % 2 ? { env: { N: '1' } } : {}) }),
        ),
      );
      const refused = made.filter(({ status }) => status === 'rejected');
      expect(refused).toHaveLength(3);
      for (const { reason } of refused as PromiseRejectedResult[])
        expect(tmuxProblemOf(reason)).toBe('duplicate_session');
      expect(await sessionNames(tmux)).toEqual(['a', 'b', 'c']);
    }));

  it('a tmux session works with a person’s own configuration with mistakes, hooks and aliases', () =>
    withTmux(
      async ({ tmux, dir }) => {
        const { paneId } = await tmux.newSession({ name: 'a', cwd: dir, ...SIZE, env: { A: 'b' } });
        await tmux.newSession({ name: 'b', cwd: dir, ...SIZE });
        expect(await tmux.run([['show-environment', '-t', '=a:', 'A']])).toBe('A=b');
        expect((await tmux.showPane(paneId)).inMode).toBe(false);
        const client = await SessionLine.join(tmux.exec, 'a');
        for (const by of [tmux, tmux.via(client)]) {
          expect((await by.listPanes('a')).map(({ id }) => id)).toEqual([paneId]);
          await pastePane(by, paneId, 'x');
          expect((await by.showPane(paneId)).id).toBe(paneId);
        }
        await client.close();
      },
      {
        config: [
          'no-such-command here',
          'set -g no-such-option on',
          "set-hook -g after-paste-buffer 'display-message hooked'",
          "set-hook -g session-created 'set-environment -g HOOKED 1'",
          "set -s command-alias[100] lp='list-panes -s ; list-windows'",
          'set -g status off',
          'set -g remain-on-exit on',
        ].join('\n'),
      },
    ));

  it('a tmux session never closes window 0, nor the only window, nor one of another session', () =>
    withTmux(async ({ tmux, dir }) => {
      const first = await tmux.newSession({ name: 'a', cwd: dir, ...SIZE });
      const second = await tmux.newWindow({ session: 'a', name: 'w', cwd: dir, command: PLAIN_SHELL });
      const other = await tmux.newSession({ name: 'b', cwd: dir, ...SIZE });
      await expect(tmux.killWindow('a', first.windowId)).rejects.toMatchObject({ code: 'conflict' });
      for (const stranger of [other.windowId, '@99']) {
        await expect(tmux.killWindow('a', stranger)).rejects.toMatchObject({ code: 'not_found' });
      }
      await tmux.run([['swap-window', '-d', '-s', first.windowId, '-t', second.windowId]]);
      await expect(tmux.killWindow('a', second.windowId)).rejects.toMatchObject({ code: 'conflict' });
      await tmux.run([['swap-window', '-d', '-s', first.windowId, '-t', second.windowId]]);
      await tmux.killWindow('a', second.windowId);
      await tmux.run([['move-window', '-d', '-s', first.windowId, '-t', '=a:5']]);
      await expect(tmux.killWindow('a', first.windowId)).rejects.toMatchObject({ code: 'conflict' });
      expect(await tmux.listPanes('a')).toHaveLength(1);
      expect(await tmux.listPanes('b')).toHaveLength(1);
    }));

  it.each(['@', '0', ':0', '@1;', '=a:0', '%1', '!', ''])('a tmux session refuses %j as a window id', (id) =>
    withTmux(async ({ tmux }) => {
      await expect(tmux.killWindow('a', id)).rejects.toMatchObject({ code: 'invalid' });
    }),
  );

  it('tmux windows are named literally', () =>
    withTmux(async ({ tmux, dir }) => {
      const { windowId } = await tmux.newSession({
        name: 'a',
        cwd: dir,
        ...SIZE,
        windowName: '#(touch pwned)#S',
      });
      const shown = async (): Promise<string> => (await tmux.listPanes('a'))[0]!.windowName;
      expect(await shown()).toBe('#(touch pwned)#S');
      for (const name of ['a;', '-n', 'a#[b', 'a##{pid}', '日本 語']) {
        await tmux.renameWindow(windowId, name);
        expect(await shown()).toBe(name);
      }
      await expect(tmux.renameWindow(windowId, 'a\nb')).rejects.toMatchObject({ code: 'invalid' });
    }));

  it('a tmux session passes environment values to the program without putting them into arguments', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const secret = 'k3y with "quotes"; $HOME\nand a second line;';
      const env = { SECRET: secret };
      await tmux.newSession({
        name: 'a',
        cwd: dir,
        ...SIZE,
        env,
        command: report(context, 'printf "%s" "$SECRET"'),
      });
      expect(await reported(context)).toBe(secret);
      await tmux.newWindow({
        session: 'a',
        name: 'w',
        cwd: dir,
        env,
        command: report(context, 'printf "%s" "$SECRET"'),
      });
      expect(await reported(context)).toBe(secret);
      const server = await tmux.run([['display-message', '-p', '#{pid}']]);
      expect(fs.readFileSync(`/proc/${server}/cmdline`, 'utf8')).not.toContain('k3y');
    }));

  it('a tmux session passes a command’s arguments to the program exactly, without a shell', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      await tmux.newSession({ name: 'a', cwd: dir, ...SIZE });
      const argument = fc.string({
        unit: fc.oneof(
          fc.constantFrom(...';\\"\'$~#{}()%-=`!*?[] \t\n'),
          fc.string({ unit: 'binary', maxLength: 1 }),
        ),
        maxLength: 12,
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(argument, { minLength: 1, maxLength: 4 }),
          fc.boolean(),
          async (args, secret) => {
            const words = args.map((word) => Buffer.from(word.replaceAll('\u0000', '')).toString());
            const command = [...report(context, 'printf "%s\\0" "$@"'), 'name', ...words];
            await tmux.newWindow({
              session: 'a',
              name: 'w',
              cwd: dir,
              command,
              ...(secret ? { env: { A: 'b' } } : {}),
            });
            expect((await reported(context)).split('\u0000').slice(0, -1)).toEqual(words);
          },
        ),
        { numRuns: 60 },
      );
    }));

  it('a tmux session runs a program of one word by its path', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const program = path.join(dir, 'we ird;$HOME "x"#(id)');
      fs.writeFileSync(program, `#!/bin/sh\n${report(context, 'printf ok')[2]}\n`, { mode: 0o755 });
      await tmux.newSession({ name: 'a', cwd: dir, ...SIZE, command: [program] });
      expect(await reported(context)).toBe('ok');
    }));

  it.each(['plain', 'sp ace', '#(touch pwned)', 'a#[b]', '##{pid}', '#', 'x;', '-c', '$HOME', '~', 'é日'])(
    'a tmux session starts in a directory called %j',
    (name) =>
      withTmux(async (context) => {
        const { tmux, dir } = context;
        const cwd = path.join(dir, name);
        fs.mkdirSync(cwd);
        const command = report(context, 'printf "%s" "$PWD"');
        await tmux.newSession({ name: 'a', ...SIZE, cwd, command });
        expect(await reported(context)).toBe(cwd);
        expect(fs.readdirSync(dir)).not.toContain('pwned');
      }),
  );

  it('a tmux session respawns a pane with endless output while a control client reads, and the server survives', () =>
    withTmux(async ({ tmux, dir }) => {
      const flood = { cwd: dir, command: ['yes', 'a line of some length that is written again and again'] };
      const { paneId } = await tmux.newSession({ name: 'flood', ...SIZE, ...flood });
      const client = await SessionLine.join(tmux.exec, 'flood');
      let bytes = 0;
      await client.watchOutput(paneId, (event) => {
        if (event.kind === 'output') bytes += event.bytes.length;
      });
      const flows = async (): Promise<void> => {
        const before = bytes;
        await expect.poll(() => bytes, { timeout: 20_000, interval: 5 }).toBeGreaterThan(before);
      };
      for (let times = 0; times < 20; times++) {
        await flows();
        await tmux.respawnPane(paneId, { ...flood, kill: true });
      }
      await flows();
      await client.close();
      expect(await sessionNames(tmux)).toEqual(['flood']);
    }));

  it('a tmux session respawns a pane with another program and keeps its id', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const { paneId, panePid } = await tmux.newSession({ name: 'a', cwd: dir, ...SIZE });
      await expect(tmux.respawnPane(paneId, { cwd: dir, command: PLAIN_SHELL })).rejects.toMatchObject({
        facts: { tmux: 'failed' },
      });
      await tmux.respawnPane(paneId, { cwd: dir, kill: true, command: report(context, 'printf again') });
      expect(await reported(context)).toBe('again');
      expect((await tmux.showPane(paneId)).pid).not.toBe(panePid);
      expect(await tmux.display('=a:0.0', '#{pane_id}')).toBe(paneId);
    }));
});

/** A command that writes the script's output to a file, signals the test, and stays. */
function report({ dir, socketPath }: PrivateTmux, script: string): [string, string, string] {
  const signal = `tmux -S '${socketPath}' wait-for -S reported`;
  return ['sh', '-c', `{ ${script}; } > '${dir}/report'; ${signal}; exec sleep 600`];
}

async function reported({ tmux, dir }: PrivateTmux): Promise<string> {
  await waitFor(tmux, 'reported');
  return fs.readFileSync(path.join(dir, 'report'), 'utf8');
}
