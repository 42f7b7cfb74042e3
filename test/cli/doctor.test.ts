import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { findProgram } from '../../src/base/index.ts';

const BIN = path.resolve(import.meta.dirname, '../../bin/rouse');
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-doctor-'));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));
const at = (...names: string[]): string => path.join(root, ...names);

interface Check {
  id: string;
  status: string;
  detail: string;
  fix: string | null;
}

beforeEach(() => {
  for (const name of ['bin', 'home', 'work', 'sockets']) {
    fs.rmSync(at(name), { recursive: true, force: true });
    fs.mkdirSync(at(name), { mode: 0o700 });
  }
  for (const program of ['node', 'sh', 'tmux', 'readlink', 'sleep'])
    fs.symlinkSync(findProgram(program, process.env, '/')!, at('bin', program));
});

function program(name: string, script: string): void {
  fs.rmSync(at('bin', name), { force: true });
  fs.writeFileSync(at('bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

function doctor(
  args: string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; checks: Map<string, Check> }> {
  return new Promise((resolve) => {
    const own = {
      PATH: at('bin'),
      HOME: at('home'),
      ROUSE_HOME: at('home/rouse'),
      ROUSE_TMUX_SOCKET: at('sockets/tmux'),
    };
    const child = spawn(BIN, ['doctor', '--json', ...args], { cwd: at('work'), env: { ...own, ...env } });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.on('close', (code) => {
      const { checks } = JSON.parse(out) as { checks: Check[] };
      resolve({ code, checks: new Map(checks.map((check) => [check.id, check])) });
    });
  });
}

describe('rouse doctor', () => {
  it('rouse doctor finds nothing wrong with a machine that has everything, and changes nothing', async () => {
    program('codex', 'echo codex-cli 0.166.0');
    const { code, checks } = await doctor();
    expect(code).toBe(0);
    expect([...checks.values()].filter(({ status }) => status !== 'ok')).toEqual([]);
    expect([...checks.keys()].sort()).toEqual(
      [
        'clock',
        'config',
        'descriptors',
        'disk',
        'fleet',
        'home',
        'node',
        'ports',
        'records',
        'sessions',
        'sockets',
        'tmux',
        'tool.codex',
      ].sort(),
    );
    expect(checks.get('tool.codex')!.detail).toBe('0.166.0, known');
    expect(fs.existsSync(at('home/rouse'))).toBe(false);
  });

  it('rouse doctor reports a missing tmux and tools whose screens are unknown, with what to do', async () => {
    fs.rmSync(at('bin/tmux'));
    program('codex', 'echo codex-cli 99.0.0');
    program('gemini', 'exit 3');
    const { code, checks } = await doctor();
    expect(code).toBe(1);
    expect(checks.get('tmux')).toMatchObject({
      status: 'problem',
      fix: expect.stringContaining('apt install tmux'),
    });
    expect(checks.get('tool.codex')).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining('99.0.0 is outside'),
    });
    expect(checks.get('tool.gemini')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('does not say'),
    });
  });

  it('rouse doctor reports what does not respond, and waits for none of it', async () => {
    program('codex', 'exec sleep 600');
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    fs.writeFileSync(at('home/token'), 'x'.repeat(40), { mode: 0o600 });
    const { code, checks } = await doctor([], {
      ROUSE_FLEET_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      ROUSE_FLEET_TOKEN_FILE: at('home/token'),
    });
    silent.closeAllConnections();
    silent.close();
    expect(code).toBe(1);
    expect(checks.get('fleet')).toMatchObject({ status: 'problem' });
    expect(checks.get('tool.codex')).toMatchObject({ status: 'warning' });
    expect(checks.get('tmux')).toMatchObject({ status: 'ok' });
  });

  it('rouse doctor reports a tmux that hangs', async () => {
    program('tmux', 'exec sleep 600');
    const { code, checks } = await doctor();
    expect([code, checks.get('tmux')]).toMatchObject([
      1,
      { status: 'problem', detail: expect.stringContaining('within') },
    ]);
    expect(checks.get('node')!.status).toBe('ok');
  });

  it('rouse doctor reports what others may read, and closes it with --fix', async () => {
    fs.mkdirSync(at('home/rouse/server'), { recursive: true, mode: 0o755 });
    fs.writeFileSync(at('home/rouse/server/admin-token'), 'x', { mode: 0o644 });
    fs.chmodSync(at('home/rouse'), 0o755);
    const before = await doctor();
    expect([before.code, before.checks.get('home')]).toMatchObject([
      1,
      { fix: expect.stringContaining('chmod go-rwx') },
    ]);
    expect(fs.statSync(at('home/rouse')).mode & 0o777).toBe(0o755);
    const after = await doctor(['--fix']);
    expect([after.code, after.checks.get('home')!.status]).toEqual([0, 'ok']);
    expect(fs.statSync(at('home/rouse')).mode & 0o777).toBe(0o700);
    expect(fs.statSync(at('home/rouse/server/admin-token')).mode & 0o777).toBe(0o600);
  });

  it('rouse doctor reports a wrong file with its line, and a project that is not trusted', async () => {
    fs.writeFileSync(at('work/.rouse.toml'), '', { mode: 0o644 });
    expect((await doctor()).checks.get('config')).toMatchObject({
      status: 'warning',
      fix: expect.stringContaining('rouse config trust'),
    });
    fs.mkdirSync(at('home/.config/rouse'), { recursive: true });
    fs.writeFileSync(at('home/.config/rouse/config.toml'), '\nwrong = 1\n', { mode: 0o600 });
    const { code, checks } = await doctor();
    expect([code, checks.get('config')]).toMatchObject([
      1,
      { status: 'problem', detail: expect.stringContaining('config.toml:2: there is no key "wrong"') },
    ]);
  });
});
