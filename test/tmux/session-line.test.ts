import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { currentTenant, Emitter, runAsTenant } from '../../src/base/index.ts';
import { PaneGlances } from '../../src/tmux/control/pane-glances.ts';
import {
  type LineEvent,
  OutputSigns,
  type PaneOutput,
  SessionLine,
  Tmux,
  tmuxProblemOf,
} from '../../src/tmux/index.ts';
import { PLAIN_SHELL, type PrivateTmux, signalChannel, waitFor, withTmux } from '../support/tmux.ts';

const SESSION = { name: 'a', width: 100, height: 30, command: PLAIN_SHELL };
/** Longer than tmux waits for a reader before it drops output. */
const PAUSE_AFTER_MS = 2_500;
const opened: SessionLine[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()));
});

async function attach({ tmux }: PrivateTmux, session = 'a'): Promise<SessionLine> {
  const client = await SessionLine.join(tmux.exec, session);
  opened.push(client);
  return client;
}

function closed(client: SessionLine): Promise<LineEvent> {
  return client.events.next(({ kind }) => kind === 'closed');
}

describe('a line to a session', () => {
  it('a line to a session answers many commands at once, each with its own answer or error', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const { paneId } = await tmux.newSession({ ...SESSION, cwd: dir });
      const fast = tmux.via(await attach(context));
      const asked = Array.from({ length: 200 }, (_, n): Promise<unknown> => {
        if (n % 5 === 0) return fast.showPane('%77').catch(tmuxProblemOf);
        if (n % 5 === 1) return fast.run([['no-such-command']]).catch(tmuxProblemOf);
        if (n % 5 === 2) return fast.sendKeyName(paneId, 'C-l').then(() => 'sent');
        return fast.display(paneId, `answer ${n}`);
      });
      const answers = await Promise.all(asked);
      for (const [n, answer] of answers.entries()) {
        expect(answer).toBe(['no_pane', 'failed', 'sent'][n % 5] ?? `answer ${n}`);
      }
    }));

  it('a line to a session combines simultaneous looks at panes into one command, and each caller gets its own pane', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const asked: string[] = [];
      const counting = new PaneGlances({
        run: (commands, options) => {
          asked.push(commands[0]![0]!);
          return tmux.run(commands, options);
        },
      });
      const made = ['a', 'b', 'c'].map((name) => tmux.newSession({ ...SESSION, name, cwd: dir }));
      const ids = (await Promise.all(made)).map(({ paneId }) => paneId);
      const panes = await Promise.all(ids.map((id) => tmux.showPane(id)));
      await tmux.run([['kill-session', '-t', '=c']]);
      const [a, b, c] = await Promise.all(panes.map((pane) => counting.again(pane).catch(tmuxProblemOf)));
      expect([a, b, c]).toEqual([panes[0], panes[1], 'no_pane']);
      expect(asked).toEqual(['list-panes']);
      // A single caller asks only for its own pane.
      expect(await counting.again(panes[1]!)).toEqual(panes[1]);
      expect(asked).toEqual(['list-panes', 'display-message']);
      // A pane in two sessions is returned for the same session as before.
      await tmux.run([['link-window', '-s', '=a:0', '-t', '=b:7']]);
      const views = await Promise.all(['a', 'b'].map((session) => tmux.listPanes(session)));
      const linked = views.map((all) => all.find(({ id }) => id === ids[0])!);
      expect(linked[0]!.sessionId).not.toBe(linked[1]!.sessionId);
      expect(await Promise.all(linked.map((pane) => counting.again(pane)))).toEqual(linked);
    }));

  it('a line to a session returns the same captures as a process', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const file = path.join(dir, 'forged');
      const forged = [
        '%end 1 2 1',
        '%error 1 2 1',
        '%begin 1 2 1',
        '%exit',
        '%output %0 x',
        '\\033',
        '',
        'tab\tü 日本',
      ];
      fs.writeFileSync(
        file,
        `${Array.from({ length: 60 }, (_, n) => forged[n % forged.length]).join('\n')}\nREADY`,
      );
      const command = [
        'sh',
        '-c',
        `cat '${file}'; tmux -S '${context.socketPath}' wait-for -S shown; exec sleep 600`,
      ];
      const { paneId } = await tmux.newSession({ ...SESSION, cwd: dir, command });
      await waitFor(tmux, 'shown');
      const client = await attach(context);
      await expect.poll(() => tmux.capturePane(paneId)).toContain('READY');
      for (const options of [{}, { escapes: true }, { history: 'all' as const }, { join: true }]) {
        expect(await tmux.via(client).capturePane(paneId, options)).toBe(
          await tmux.capturePane(paneId, options),
        );
      }
      expect(client.open).toBe(true);
    }));

  it('a line to a session neither resizes a window nor counts as activity nor changes the session’s environment', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const { paneId } = await tmux.newSession({ ...SESSION, cwd: dir });
      await tmux.run([['set-environment', '-t', '=a:', 'DISPLAY', ':77']]);
      const client = await attach({
        ...context,
        tmux: new Tmux({ ...tmux.exec.options, env: { ...process.env, DISPLAY: ':1' } }),
      });
      const fast = tmux.via(client);
      const activity = Number(await fast.display(paneId, '#{session_activity}'));
      await expect.poll(() => Date.now() / 1000, { timeout: 10_000 }).toBeGreaterThan(activity + 1);
      await fast.sendLiteral(paneId, 'x');
      await fast.capturePane(paneId);
      expect(Number(await fast.display(paneId, '#{session_activity}'))).toBe(activity);
      expect(await tmux.showPane(paneId)).toMatchObject({ width: 100, height: 30 });
      expect(await tmux.run([['show-environment', '-t', '=a:', 'DISPLAY']])).toBe('DISPLAY=:77');
      const [seen] = await tmux.listClients('a');
      expect(seen).toMatchObject({ pid: client.pid, control: true, readOnly: false, person: false });
      expect(seen?.flags).toContain('no-output');
    }));

  it('a line to a session reports the bytes of a watched pane unchanged, and of no other pane', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const bytes = Buffer.from([...Array(256).keys()]);
      const file = path.join(dir, 'bytes');
      fs.writeFileSync(file, Buffer.concat([bytes, bytes, Buffer.from('\\134 END')]));
      const go = `stty -opost; tmux -S '${context.socketPath}' wait-for go; cat '${file}'; exec sleep 600`;
      const { paneId } = await tmux.newSession({ ...SESSION, cwd: dir, command: ['sh', '-c', go] });
      const chatter = await tmux.newWindow({
        session: 'a',
        name: 'w',
        cwd: dir,
        command: ['yes', 'chatter'],
      });
      const client = await attach(context);
      const got: Buffer[] = [];
      await new Promise<void>((resolve, reject) => {
        const take = (event: PaneOutput): void => {
          if (event.kind === 'gap') reject(new Error('bytes were lost'));
          else got.push(event.bytes);
          if (Buffer.concat(got).includes('END')) resolve();
        };
        client
          .watchOutput(paneId, take)
          .then(() => signalChannel(tmux, 'go'))
          .catch(reject);
      });
      expect(Buffer.concat(got).toString('latin1')).toBe(fs.readFileSync(file, 'latin1'));
      // The neighbour was silenced, not stopped: its history still grows.
      await tmux.run([['clear-history', '-t', chatter.paneId]]);
      await expect.poll(async () => (await tmux.showPane(chatter.paneId)).historySize).toBeGreaterThan(0);
    }));

  it('a line to a session takes output only while something is watched', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const { paneId } = await tmux.newSession({ ...SESSION, cwd: dir });
      const client = await attach(context);
      const loud = async (): Promise<number> =>
        (await tmux.via(client).listClients('a')).filter(({ flags }) => !flags.includes('no-output')).length;
      const [stopOne, stopTwo] = await Promise.all([
        client.watchOutput(paneId, () => {}),
        client.watchOutput(paneId, () => {}),
      ]);
      expect(await loud()).toBe(1);
      stopOne();
      expect(await loud()).toBe(1);
      stopTwo();
      stopTwo();
      await expect.poll(loud).toBe(0);
      (await client.watchOutput(paneId, () => {}))();
      await expect.poll(loud).toBe(0);
      expect(client.open).toBe(true);
    }));

  it('a line to a session reports bytes of a pane that was silenced before it was watched', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const { paneId } = await tmux.newSession({ ...SESSION, cwd: dir });
      const chatter = await tmux.newWindow({
        session: 'a',
        name: 'w',
        cwd: dir,
        command: ['yes', 'chatter'],
      });
      const client = await attach(context);
      await client.watchOutput(paneId, () => {});
      for (let round = 0; round < 3; round++) {
        let stop: () => void = () => {};
        await new Promise<void>((resolve, reject) => {
          client.watchOutput(chatter.paneId, () => resolve()).then((end) => (stop = end), reject);
        });
        stop();
      }
    }));

  it('a line to a session ends as a whole when the connection that carries output is lost', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const { paneId } = await tmux.newSession({ ...SESSION, cwd: dir });
      const client = await attach(context);
      await client.watchOutput(paneId, () => {});
      const carrier = (await tmux.listClients('a')).find(({ flags }) => !flags.includes('no-output'))!;
      const end = closed(client);
      process.kill(carrier.pid, 'SIGKILL');
      expect(await end).toMatchObject({ kind: 'closed' });
      await expect.poll(() => tmux.listClients('a')).toEqual([]);
    }));

  it('a line to a session that does not read never blocks a program: output is dropped, and the gap is reported', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const file = path.join(dir, 'count');
      const line = `require('fs').appendFileSync('${file}', '.'); process.stdout.write('0'.repeat(10000) + '\\n')`;
      const { paneId } = await tmux.newSession({
        ...SESSION,
        cwd: dir,
        command: [process.execPath, '-e', `setInterval(() => { ${line} }, 5)`],
      });
      const client = await attach(context);
      let signalGap: () => void = () => {};
      const gap = new Promise<void>((resolve) => {
        signalGap = resolve;
      });
      await client.watchOutput(paneId, ({ kind }) => {
        if (kind === 'gap') signalGap();
      });
      await expect.poll(() => fs.existsSync(file)).toBe(true);
      // This process blocks, like a stopped or overloaded gateway, until the program has written far more than any pipe
      // holds; if tmux waited for us, the program never would.
      const count = (): number => fs.statSync(file).size;
      const still = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      still(PAUSE_AFTER_MS);
      const goal = count() + 200;
      const deadline = performance.now() + 60_000;
      while (count() < goal && performance.now() < deadline) still(20);
      expect(count()).toBeGreaterThanOrEqual(goal);
      await gap;
      expect(await tmux.via(client).capturePane(paneId)).toContain('000');
    }));

  it('a line to a session reports modes, windows, names and other clients as they change', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const { paneId, windowId } = await tmux.newSession({ ...SESSION, cwd: dir });
      const client = await attach(context);
      const following = async (act: () => Promise<unknown>, kind: LineEvent['kind']): Promise<LineEvent> => {
        const event = client.events.next((one) => one.kind === kind);
        await act();
        return event;
      };
      const copyMode = () => tmux.run([['copy-mode', '-t', paneId]]);
      expect(await following(copyMode, 'pane-mode-changed')).toEqual({
        kind: 'pane-mode-changed',
        pane: paneId,
      });
      const { windowId: extra } = await tmux.newWindow({
        session: 'a',
        name: 'w',
        cwd: dir,
        command: PLAIN_SHELL,
      });
      const close = () => tmux.killWindow('a', extra);
      expect(await following(close, 'window-close')).toEqual({ kind: 'window-close', window: extra });
      const rename = () => tmux.renameWindow(windowId, 'the agent');
      expect(await following(rename, 'window-renamed')).toMatchObject({
        window: windowId,
        name: 'the agent',
      });
      let stop: () => void = () => {};
      const other = async () => {
        stop = await client.watchOutput(paneId, () => {});
      };
      expect(await following(other, 'client-session-changed')).toMatchObject({ session: client.sessionId });
      expect(await following(async () => stop(), 'client-detached')).toMatchObject({
        kind: 'client-detached',
      });
      const move = () => tmux.run([['rename-session', '-t', '=a:', '--', 'renamed']]);
      expect(await following(move, 'session-renamed')).toMatchObject({ name: 'renamed' });
      expect(client.open).toBe(true);
    }));

  it('a line to a session reports at once that the server is gone, and that open commands may have run', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      await tmux.newSession({ ...SESSION, cwd: dir });
      const client = await attach(context);
      const pid = Number(await tmux.via(client).run([['display-message', '-p', '#{pid}']]));
      process.kill(pid, 'SIGSTOP');
      const end = closed(client);
      const pending = tmux
        .via(client)
        .listPanes('a')
        .catch((error: unknown) => error);
      process.kill(pid, 'SIGKILL');
      expect(await end).toMatchObject({ kind: 'closed', reason: expect.stringContaining('server exited') });
      expect(await pending).toMatchObject({ code: 'unavailable', facts: { tmux: 'disconnected' } });
      expect(client.open).toBe(false);
      await expect(tmux.via(client).listPanes('a')).rejects.toMatchObject({
        facts: { tmux: 'disconnected' },
      });
      expect(await tmux.hasSession('a')).toBe(false);
    }));

  it.each([
    ['its session is killed', '', async ({ tmux }: PrivateTmux) => tmux.killSession('a')],
    [
      'its session is killed and tmux would move clients on',
      'set -g detach-on-destroy off\n',
      async ({ tmux }: PrivateTmux) => tmux.killSession('a'),
    ],
  ])('a line to a session ends when %s', (_what, config, act) =>
    withTmux(
      async (context) => {
        const { tmux, dir } = context;
        await tmux.newSession({ ...SESSION, cwd: dir });
        await tmux.newSession({ ...SESSION, name: 'b', cwd: dir });
        const end = closed(await attach(context));
        await act(context);
        expect(await end).toMatchObject({ kind: 'closed', reason: expect.stringMatching(/./) });
        expect(await tmux.hasSession('a')).toBe(false);
        await expect.poll(() => tmux.listClients()).toEqual([]);
      },
      { config },
    ),
  );

  it('a line to a session does not wait for a server that hangs, neither with a command nor with its own end', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      await tmux.newSession({ ...SESSION, cwd: dir });
      const client = await attach(context);
      const pid = Number(await tmux.run([['display-message', '-p', '#{pid}']]));
      process.kill(pid, 'SIGSTOP');
      try {
        await expect(client.run([['list-sessions']], { timeoutMs: 100 })).rejects.toMatchObject({
          facts: { tmux: 'timeout' },
        });
        await client.close();
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      await expect.poll(() => tmux.listClients()).toEqual([]);
    }));

  it('a line to a session leaves nothing behind when it is closed', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      await tmux.newSession({ ...SESSION, cwd: dir });
      const client = await attach(context);
      const { pid } = client;
      await client.close();
      await client.close();
      expect(fs.existsSync(`/proc/${pid}`)).toBe(false);
      await expect.poll(() => tmux.listClients()).toEqual([]);
      expect(await tmux.hasSession('a')).toBe(true);
    }));

  it('a line to a session fails to attach with the reason', () =>
    withTmux(async ({ tmux, dir, socketPath }) => {
      const problem = async (by: Tmux, session: string): Promise<unknown> =>
        SessionLine.join(by.exec, session).catch(tmuxProblemOf);
      expect(await problem(tmux, 'a')).toBe('no_server');
      await tmux.newSession({ ...SESSION, name: 'ab', cwd: dir });
      expect(await problem(tmux, 'a')).toBe('no_session');
      expect(await problem(new Tmux({ socketPath, binary: 'no-such-tmux-here' }), 'ab')).toBe(
        'not_installed',
      );
    }));

  it('all lines to sessions of a server share one control client, which each session leaves by itself', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const names = ['a', 'b', 'c'];
      for (const name of names) await tmux.newSession({ ...SESSION, name, cwd: dir });
      const lines = await Promise.all(names.map((name) => attach(context, name)));
      expect(await tmux.listClients()).toHaveLength(1);
      expect(new Set(lines.map(({ pid }) => pid)).size).toBe(1);
      for (const line of lines.slice(0, 2)) {
        await line.close();
        const [held, ...more] = await tmux.listClients();
        expect(more).toEqual([]);
        expect(held!.sessionId).not.toBe(line.sessionId);
        expect(await lines[2]!.run([['display-message', '-p', 'here']])).toBe('here');
      }
      await lines[2]!.close();
      expect(await tmux.listClients()).toEqual([]);
    }));

  it('a line to a session ends with that session only, whichever session the control client was attached to', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const names = ['a', 'b', 'c', 'd'];
      for (const name of names) await tmux.newSession({ ...SESSION, name, cwd: dir });
      const lines = await Promise.all(names.map((name) => attach(context, name)));
      const ended: string[] = [];
      for (const [n, line] of lines.entries())
        line.events.on(({ kind }) => kind === 'closed' && ended.push(names[n]!));
      const held = (await tmux.listClients())[0]!.sessionName;
      const order = [held, ...names.filter((name) => name !== held)].slice(0, 3);
      for (const [n, name] of order.entries()) {
        const end = closed(lines[names.indexOf(name)]!);
        await tmux.killSession(name);
        await end;
        const left = lines.find((_, at) => !order.slice(0, n + 1).includes(names[at]!))!;
        expect(await left.run([['display-message', '-p', 'here']])).toBe('here');
      }
      expect(ended).toEqual(order);
    }));

  it('a line to a session continues when a person detaches its client, and reports that events may have been missed', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      for (const name of ['a', 'b']) await tmux.newSession({ ...SESSION, name, cwd: dir });
      const lines = [await attach(context, 'a'), await attach(context, 'b')];
      const missed = lines.map((line) => line.events.next(({ kind }) => kind === 'sessions-changed'));
      await tmux.run([['detach-client', '-s', '=a:']]);
      await Promise.all(missed);
      for (const line of lines) expect(await line.run([['display-message', '-p', 'here']])).toBe('here');
      expect(await tmux.listClients()).toHaveLength(1);
    }));

  it('a line to a missing session fails without affecting other lines', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      await tmux.newSession({ ...SESSION, cwd: dir });
      const tried = await Promise.allSettled([attach(context, 'z'), attach(context), attach(context, 'y')]);
      expect(tried.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
      expect(await opened[0]!.run([['display-message', '-p', 'here']])).toBe('here');
    }));

  it('a line to a session acts in the name of the caller that joined', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const { paneId } = await tmux.newSession({ ...SESSION, cwd: dir });
      const errors: string[] = [];
      const tenants = ['one', 'two'].map((name) => ({
        own: new Map<symbol, unknown>(),
        onError: (error: unknown) => errors.push(`${name}: ${(error as Error).message}`),
      }));
      for (const tenant of tenants)
        await runAsTenant(tenant, async () => {
          const line = await attach(context);
          line.events.on(() => {
            throw new Error(String(tenants.indexOf(currentTenant() as (typeof tenants)[0])));
          });
        });
      await tmux.run([['copy-mode', '-t', paneId]]);
      await expect.poll(() => errors).toEqual(['one: 0', 'two: 1']);
    }));
});

describe('signs of output', () => {
  it('signs of output come from the terminal itself when its program writes, and from the next one after a respawn', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const { paneId } = await tmux.newSession({ ...SESSION, cwd: dir });
      const line = await attach(context);
      const written = new Emitter<void>();
      const signs = new OutputSigns(line, () => written.emit());
      await signs.follow(await tmux.showPane(paneId));
      expect(signs.isReliable).toBe(true);
      expect(await tmux.listClients()).toHaveLength(1);
      const first = written.next();
      await tmux.sendLiteral(paneId, 'echo hello');
      await tmux.pressEnter(paneId);
      await first;
      const gone = written.next();
      await tmux.respawnPane(paneId, { cwd: dir, command: PLAIN_SHELL, kill: true });
      await gone;
      await expect
        .poll(async () => {
          await signs.follow(await tmux.showPane(paneId));
          return signs.isReliable;
        })
        .toBe(true);
      const again = written.next();
      await tmux.sendLiteral(paneId, 'echo hello');
      await tmux.pressEnter(paneId);
      await again;
      signs.close();
    }));

  it('signs of output come from tmux if the terminal’s name is another device', () =>
    withTmux(async (context) => {
      const { tmux, dir } = context;
      const { paneId } = await tmux.newSession({ ...SESSION, cwd: dir });
      const line = await attach(context);
      const written = new Emitter<void>();
      const signs = new OutputSigns(line, () => written.emit());
      await signs.follow({ ...(await tmux.showPane(paneId)), tty: '/dev/null' });
      expect(signs.isReliable).toBe(true);
      expect(await tmux.listClients()).toHaveLength(2);
      const next = written.next();
      await tmux.sendLiteral(paneId, 'x');
      await next;
      signs.close();
      await expect.poll(() => tmux.listClients()).toHaveLength(1);
    }));
});
