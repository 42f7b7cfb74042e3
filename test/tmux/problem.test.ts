import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Tmux } from '../../src/tmux/index.ts';
import { PLAIN_SHELL, pastePane, sessionNames, signalChannel, waitFor, withTmux } from '../support/tmux.ts';

describe('what tmux cannot do', () => {
  it('the tmux client reports that tmux is not installed, and how to install it', () =>
    withTmux(async ({ socketPath }) => {
      const tmux = new Tmux({ socketPath, binary: 'no-such-tmux-here' });
      for (const ask of [() => tmux.version(), () => tmux.hasSession('a')]) {
        await expect(ask()).rejects.toMatchObject({
          code: 'unavailable',
          hint: expect.stringContaining('tmux 3.2 or newer'),
          facts: { tmux: 'not_installed' },
        });
      }
    }));

  it('the tmux client refuses a tmux that is too old', () =>
    withTmux(async ({ dir, socketPath }) => {
      const binary = path.join(dir, 'old-tmux');
      fs.writeFileSync(binary, '#!/bin/sh\necho tmux 2.9a\n', { mode: 0o755 });
      await expect(new Tmux({ socketPath, binary }).version()).rejects.toMatchObject({ code: 'unsupported' });
    }));

  it('the tmux client knows the version of the tmux here', () =>
    withTmux(async ({ tmux }) => {
      const version = await tmux.version();
      expect(version.major).toBeGreaterThanOrEqual(3);
      expect(version.text).not.toContain('tmux');
    }));

  it('the tmux client reads a missing server as no sessions, and reports it if a session is needed', () =>
    withTmux(async ({ tmux }) => {
      expect(await tmux.hasSession('a')).toBe(false);
      expect(await sessionNames(tmux)).toEqual([]);
      for (const ask of [
        () => tmux.listPanes('a'),
        () => tmux.showPane('%0'),
        () => pastePane(tmux, '%0', 'x'),
      ]) {
        await expect(ask()).rejects.toMatchObject({ code: 'not_found', facts: { tmux: 'no_server' } });
      }
    }));

  it('the tmux client does not read a session as missing if its server does not respond', () =>
    withTmux(async ({ tmux, dir, socketPath }) => {
      await tmux.newSession({ name: 'a', cwd: dir, width: 80, height: 24, command: PLAIN_SHELL });
      const pid = Number(await tmux.run([['display-message', '-p', '#{pid}']]));
      const impatient = new Tmux({ socketPath, timeoutMs: 300 });
      process.kill(pid, 'SIGSTOP');
      try {
        await expect(impatient.hasSession('a')).rejects.toMatchObject({
          code: 'unavailable',
          facts: { tmux: 'timeout' },
        });
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      expect(await tmux.hasSession('a')).toBe(true);
    }));

  it('the tmux client starts tmux even if the working directory of this process is gone', () =>
    withTmux(async ({ tmux, dir }) => {
      const gone = path.join(dir, 'gone');
      fs.mkdirSync(gone);
      const before = process.cwd();
      process.chdir(gone);
      fs.rmdirSync(gone);
      try {
        expect(await tmux.hasSession('a')).toBe(false);
      } finally {
        process.chdir(before);
      }
    }));

  it('the tmux client refuses a socket name together with a socket path', () => {
    expect(() => new Tmux({ socketName: 'a', socketPath: '/b' })).toThrow(/not both/);
  });

  it('the tmux client ends a wait when it is aborted', () =>
    withTmux(async ({ tmux, dir }) => {
      await tmux.newSession({ name: 'a', cwd: dir, width: 80, height: 24, command: PLAIN_SHELL });
      const abort = new AbortController();
      const waiting = waitFor(tmux, 'never', abort.signal);
      abort.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
      await signalChannel(tmux, 'before');
      await waitFor(tmux, 'before');
    }));
});
