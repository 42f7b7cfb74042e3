import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { TestWorld } from '../support/test-world.ts';

const world = new TestWorld();
afterAll(() => world.close());

const ANALYZE = '/usr/bin/systemd-analyze';
const units = ['host', 'server'] as const;

it.each(units)('the systemd unit of "rouse %s install" is one that systemd accepts', async (name) => {
  const { code, stdout, stderr } = await world.rouse([name, 'install'], {
    PATH: `${process.env['PATH']}:/with space/$x%y`,
  });
  expect([code, stderr]).toEqual([0, '']);
  const file = path.join(world.directory, '.config/systemd/user', `rouse-${name}.service`);
  expect(stdout).toContain(`systemctl --user enable --now rouse-${name}.service`);
  const text = fs.readFileSync(file, 'utf8');
  expect(text).toContain(`ROUSE_HOME=${world.home}`);
  if (!fs.existsSync(ANALYZE)) return;
  const env = { ...process.env, XDG_RUNTIME_DIR: world.directory };
  const words = ['--user', '--man=no', 'verify', file];
  const { status, stderr: said } = spawnSync(ANALYZE, words, { encoding: 'utf8', env });
  const own = said.split('\n').filter((line) => line.includes(`rouse-${name}`));
  expect([own, status]).toEqual([[], 0]);
});

it.each(units)(
  '"rouse %s uninstall" removes its unit, and install and uninstall leave a foreign one alone',
  async (name) => {
    const file = path.join(world.directory, '.config/systemd/user', `rouse-${name}.service`);
    expect((await world.rouse([name, 'install'])).code).toBe(0);
    expect((await world.rouse([name, 'uninstall'])).code).toBe(0);
    expect(fs.existsSync(file)).toBe(false);
    fs.writeFileSync(file, '[Unit]\nDescription=mine\n');
    for (const verb of ['install', 'uninstall']) {
      const { code, stderr } = await world.rouse([name, verb]);
      expect([code, stderr]).toEqual([4, expect.stringContaining('was not written by Rouse')]);
    }
    expect(fs.readFileSync(file, 'utf8')).toContain('mine');
  },
);
