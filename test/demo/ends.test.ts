import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { identifyProcess, shellQuote, systemClock } from '../../src/base/index.ts';
import { clearPlace, leftPlaces } from '../../src/demo/clear.ts';
import { type PrivateTmux, withTmux } from '../support/tmux.ts';

const BIN = path.resolve(import.meta.dirname, '../../bin/rouse');
const LATER = { timeout: 60_000, interval: 100 };

/** Every process started by, or for, a demo with the temporary directory `dir`. */
function processesOf(dir: string): string[] {
  return fs.readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const environment = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      const ours = environment.some(
        (word) => word === `TMPDIR=${dir}` || word.startsWith(`ROUSE_HOME=${dir}/`),
      );
      return ours ? [fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] : [];
    } catch {
      return [];
    }
  });
}

const places = (dir: string): string[] =>
  fs.readdirSync(dir).filter((name) => name.startsWith('rouse-demo-'));

interface Running {
  screen: () => Promise<string>;
  pid: () => Promise<number>;
  tmux: PrivateTmux['tmux'];
  dir: string;
}

/** A demo in its own, narrow terminal; afterwards nothing of it may be left. */
function inTerminal(act: (running: Running) => Promise<void>): Promise<void> {
  return withTmux(async ({ tmux, dir: outer }) => {
    const dir = path.join(outer, 'tmp');
    fs.mkdirSync(dir);
    const line = `trap : INT; TMPDIR=${shellQuote(dir)} ${shellQuote(BIN)} demo; echo "ended with $?"; cat`;
    await tmux.run([['new-session', '-d', '-x', '60', '-y', '30', '-s', 'demo', line]]);
    const screen = (): Promise<string> => tmux.run([['capture-pane', '-p', '-t', 'demo']]);
    const pid = async (): Promise<number> => {
      const [name] = places(dir);
      return JSON.parse(fs.readFileSync(path.join(dir, name!, 'demo-owner.json'), 'utf8')).pid;
    };
    await act({ screen, pid, tmux, dir });
    await expect.poll(() => [...processesOf(dir), ...places(dir)], LATER).toEqual([]);
  });
}

describe('a demo leaves neither process nor directory', () => {
  it('a demo leaves neither process nor directory after Ctrl-C, and says what to try next; no line is wider than the terminal', () =>
    inTerminal(async ({ screen, tmux }) => {
      await expect.poll(screen, LATER).toMatch(/^ana .*\n {9}\d\d:\d\d:\d\d /m);
      expect((await screen()).split('\n').filter((line) => line.length > 60)).toEqual([]);
      await tmux.run([['send-keys', '-t', 'demo', 'C-c']]);
      await expect.poll(screen, LATER).toMatch(/With your own agents:\n {2}rouse [\s\S]*ended with 0/);
    }));

  it('a demo leaves neither process nor directory after its terminal was closed', () =>
    inTerminal(async ({ screen, tmux, dir }) => {
      await expect.poll(screen, LATER).toContain('HANDLED');
      expect(processesOf(dir).length).toBeGreaterThan(5);
      await tmux.run([['kill-session', '-t', 'demo']]);
    }));

  it('a demo leaves neither process nor directory after kill -9 while it launches its agents', () =>
    inTerminal(async ({ pid, dir }) => {
      await expect
        .poll(() => places(dir).some((name) => fs.existsSync(path.join(dir, name, 'tmux.sock'))), LATER)
        .toBe(true);
      process.kill(await pid(), 'SIGKILL');
    }));

  it('a demo leaves neither process nor directory at the next start, when the one that should clear up was killed too', () =>
    withTmux(async ({ dir }) => {
      const before = process.env['TMPDIR'];
      process.env['TMPDIR'] = dir;
      try {
        const own = (name: string, owner: unknown): string => {
          const place = path.join(dir, name);
          fs.mkdirSync(place, { mode: 0o700 });
          if (owner) fs.writeFileSync(path.join(place, 'demo-owner.json'), JSON.stringify(owner));
          return place;
        };
        const me = identifyProcess(process.pid)!;
        const left = own('rouse-demo-left', { ...me, startTicks: me.startTicks! - 1 });
        own('rouse-demo-runs', me);
        own('rouse-demo-begins', undefined);
        own('other', { ...me, startTicks: 1 });
        fs.symlinkSync(left, path.join(dir, 'rouse-demo-link'));
        const stays = spawn('sleep', ['600'], { env: { ...process.env, ROUSE_HOME: left } });
        const ended = once(stays, 'exit');
        expect(leftPlaces()).toEqual([left]);
        await clearPlace(left, systemClock);
        expect((await ended)[1]).toBe('SIGTERM');
        await clearPlace(path.join(dir, 'other'), systemClock);
        expect(
          fs
            .readdirSync(dir)
            .filter((name) => /rouse-demo|other/.test(name))
            .sort(),
        ).toEqual(['other', 'rouse-demo-begins', 'rouse-demo-link', 'rouse-demo-runs']);
      } finally {
        if (before === undefined) delete process.env['TMPDIR'];
        else process.env['TMPDIR'] = before;
      }
    }));
});
