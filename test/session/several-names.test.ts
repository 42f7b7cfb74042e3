import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ran, TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(() => {
  world = new TestWorld();
});
afterAll(() => world.close());

const rouse = (...args: string[]): Promise<Ran> => world.rouse(args);
const json = (...args: string[]): Promise<Ran> => world.rouse(['--print-json', ...args]);
const outcomes = ({ json }: Ran): [string, number][] =>
  json['agents'].map((each: { agent_name: string; exit_code: number }) => [each.agent_name, each.exit_code]);
const subjects = async (name: string): Promise<string[]> =>
  (await json('mail', 'list', '--address', `${name}@houmao.localhost`)).json['messages'].map(
    ({ subject }: { subject: string }) => subject,
  );

describe('several names on one line', { timeout: 120_000 }, () => {
  it('a message goes to each name of a list, to the team and to all, with an outcome each', async () => {
    for (const name of ['ana', 'ben', 'cleo']) await world.launch(name, { mailbox: {} });
    const some = await json('send', 'ana,zoe,ben', 'one');
    expect(some.code).toBe(3);
    expect(outcomes(some)).toEqual([
      ['ana', 0],
      ['zoe', 3],
      ['ben', 0],
    ]);
    fs.writeFileSync(
      path.join(world.workdir, '.rouse.toml'),
      '[team.ana]\ntool = "scripted"\n[team.cleo]\ntool = "scripted"\n',
      { mode: 0o644 },
    );
    const untrusted = await rouse('send', '--team', 'two');
    expect([untrusted.code, untrusted.stderr]).toMatchObject([
      3,
      expect.stringContaining('rouse config trust'),
    ]);
    await rouse('config', 'trust');
    expect(outcomes(await json('send', '--team', 'two'))).toEqual([
      ['ana', 0],
      ['cleo', 0],
    ]);
    const all = await rouse('send', '--all', 'three', '--idempotency-key', 'k');
    expect([all.code, all.stdout.match(/^(ana|ben|cleo):\nsent to/gm)]).toMatchObject([0, { length: 3 }]);
    await rouse('send', '--all', 'three', '--idempotency-key', 'k');
    expect(await subjects('ana')).toEqual(['three', 'two', 'one']);
    expect(await subjects('ben')).toEqual(['three', 'one']);
    expect(await subjects('cleo')).toEqual(['three', 'two']);
    const both = await rouse('send', '--all', 'ana', 'four');
    expect([both.code, both.stderr]).toMatchObject([2, expect.stringContaining('exclude each other')]);
    expect(await subjects('ben')).toEqual(['three', 'one']);
  });

  it('relaunch --all brings back every agent after its tmux server was killed', async () => {
    world.tmux('kill-server');
    await world.until(() => world.processes().every(({ words }) => !words.includes('scripted')));
    const back = await json('agents', 'relaunch', '--all');
    expect([
      back.code,
      outcomes(back)
        .map(([name]) => name)
        .sort(),
    ]).toEqual([0, ['ana', 'ben', 'cleo']]);
    const { agents } = (await json('ls')).json;
    expect(agents.map(({ state }: { state: string }) => state)).not.toContain('gone');
  });

  it('status and stop take several names; one that is unknown does not keep the others running', async () => {
    const seen = await rouse('status', 'ana', 'ben');
    expect([seen.code, seen.stdout.match(/^(ana|ben):$/gm)]).toEqual([0, ['ana:', 'ben:']]);
    const stopped = await rouse('stop', 'ana', 'zoe', 'ben,ana');
    expect(stopped.code).toBe(3);
    expect(stopped.stdout).toMatch(/^ana: [^\n]+\nben: [^\n]+\n$/);
    expect(stopped.stderr).toMatch(/^error: zoe: /);
    expect((await json('ls')).json['agents'].map(({ name }: { name: string }) => name)).toEqual(['cleo']);
    expect((await rouse('stop', '--all')).code).toBe(0);
    expect((await rouse('stop', '--all')).stdout).toBe('no agents\n');
  });
});
