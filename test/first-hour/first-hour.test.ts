import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { serveRegistry } from '../support/npm-registry.ts';
import { Newcomer } from './newcomer.ts';
import { play } from './play.ts';
import { readmeLines } from './readme.ts';

/** On a busy machine each of about twenty lines may take seconds. */
const AN_HOUR = 1_200_000;
const ROOT = path.resolve(import.meta.dirname, '../..');

const scripted = (line: string): string => line.replace(/\b(claude|codex)\b/g, 'scripted');

/** The README as it is, followed by a person with only a clone; the tools are the scripted one. */
describe('the README, played line by line', () => {
  const newcomer = new Newcomer({ env: { npm_config_offline: 'true' } });
  const program = path.join(newcomer.clone, 'dist', 'scripted-agent.cjs');
  newcomer.env['HAND_STARTED'] = `${process.execPath} ${program}`;
  afterAll(async () => expect(await newcomer.leaves()).toEqual([]), 300_000);

  /** The second round is in a home that knows all names already. */
  const ROUNDS = process.env['ROUSE_PROOF'] === 'full' ? ['first', 'second'] : ['first'];

  it.each(ROUNDS)(
    'the README can be pasted from top to bottom in one go, a %s time in the same home',
    {
      timeout: AN_HOUR,
    },
    async () => {
      expect(readmeLines('The first hour')[0]).toBe('npm install --global .');
      for (const section of ['The first hour', 'Five jobs', 'Many agents, many hosts']) {
        for (const line of readmeLines(section)) await play(newcomer, scripted(line));
        const { text } = await newcomer.types('rouse agents list --json');
        expect(JSON.parse(text).agents, `agents left running by "${section}"`).toEqual([]);
      }
      delete newcomer.env['ROUSE_FLEET_URL'];
      await newcomer.types('tmux kill-session -t mine');
    },
  );

  it('the upgrade and the end of the README work as written, and leave nothing', {
    timeout: AN_HOUR,
  }, async () => {
    const registry = await serveRegistry(path.join(ROOT, 'node_modules'));
    Object.assign(newcomer.env, { npm_config_registry: registry.url, npm_config_offline: 'false' });
    try {
      for (const line of readmeLines('Upgrade, uninstall')) await play(newcomer, line);
    } finally {
      registry.close();
    }
    const left = [newcomer.home, path.join(newcomer.place, 'prefix')].flatMap((directory) =>
      fs
        .readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => path.relative(newcomer.place, path.join(entry.parentPath, entry.name)))
        .filter((file) => !/^home\/\.npm\/|\.package-lock\.json$/.test(file)),
    );
    expect(left).toEqual([]);
  });
});
