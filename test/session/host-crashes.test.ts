import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ManifestFacts, sessionPaths } from '../../src/session/index.ts';
import { TestWorld } from '../support/test-world.ts';

/** One gateway kills the shared host whenever it is loaded; the host and the other gateways continue. */
const GOOD = ['ana', 'ben', 'cat'] as const;

let world: TestWorld;
let bad: ManifestFacts;
const good = new Map<string, ManifestFacts>();
const poison = (): string => path.join(world.directory, 'poison');

/** Kills the process that opens or reads the manifest that the file `poison` names. */
const PRELOAD = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { readFileSync, openSync, existsSync } = fs;
const poisoned = (file) => {
  const poison = process.env.ROUSE_TEST_POISON;
  if (process.argv.includes('--rouse-home') && existsSync(poison) && String(file) === readFileSync(poison, 'utf8'))
    process.kill(process.pid, 'SIGKILL');
};
fs.readFileSync = (file, ...more) => (poisoned(file), readFileSync(file, ...more));
fs.openSync = (file, ...more) => (poisoned(file), openSync(file, ...more));
syncBuiltinESMExports();
`;

beforeAll(async () => {
  world = new TestWorld();
  const preload = path.join(world.directory, 'preload.mjs');
  fs.writeFileSync(preload, PRELOAD);
  world.env['NODE_OPTIONS'] = `--import=${preload}`;
  world.env['ROUSE_TEST_POISON'] = poison();
  world.env['ROUSE_GATEWAY_RESTART_SECONDS'] = '0.05';
  for (const name of GOOD) good.set(name, await world.launch(name, { autoAttach: { mode: 'hosted' } }));
  bad = await world.launch('bad', { autoAttach: { mode: 'hosted' } });
});
afterAll(async () => {
  await world.close();
});

// biome-ignore lint/suspicious/noExplicitAny: output of every shape
const agentOf = async (name: string): Promise<any> =>
  (await world.rouse(['ls', '--json'])).json['agents'].find((each: { name: string }) => each.name === name);
const hostPid = (name: string): number =>
  JSON.parse(fs.readFileSync(sessionPaths(good.get(name)!.root).currentInstance, 'utf8')).pid;

describe('a host that one of its gateways ends again and again', () => {
  it('a host that one of its gateways ends again and again runs the others, and resumes the suspect last, alone and ever later; the agent needs you', async () => {
    fs.writeFileSync(poison(), sessionPaths(bad.root).manifest);
    process.kill(hostPid('ana'), 'SIGKILL');
    await world.until(async () =>
      /started last, alone and rarely/.test((await agentOf('bad')).needs_you ?? ''),
    );
    expect(await agentOf('bad')).toMatchObject({
      state: 'needs_you',
      reason: 'running, no gateway: will not be woken',
      needs_you: expect.stringContaining('"rouse agents gateway attach bad --background"'),
    });
    for (const name of GOOD) await world.until(async () => (await agentOf(name)).gateway === 'live');
    // Each check of the suspect ends the host again, so at some instants there is none.
    const hosts = async () => (await world.rouse(['host', 'status', '--json'])).json['hosts'];
    await world.until(async () => {
      const [host] = await hosts();
      return host?.answers && host.restarts >= 5;
    });
  });

  it('a host resumes a suspect gateway once it does no harm', async () => {
    fs.rmSync(poison());
    expect((await world.rouse(['agents', 'gateway', 'attach', 'bad', '--background'])).code).toBe(0);
    expect(await agentOf('bad')).toMatchObject({ gateway: 'live', needs_you: null });
    for (const name of GOOD) expect((await agentOf(name)).gateway).toBe('live');
    expect((await world.rouse(['agents', 'gateway', 'attach', 'bad', '--hosted'])).code).toBe(0);
    expect(await agentOf('bad')).toMatchObject({ gateway: 'live' });
  });
});
