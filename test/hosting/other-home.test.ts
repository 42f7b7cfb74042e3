import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServedWorld } from '../fleet/served-world.ts';

let world: ServedWorld;
let elsewhere: string;
beforeAll(async () => {
  world = await new ServedWorld().open();
  elsewhere = fs.mkdtempSync(path.join(world.directory, 'elsewhere-'));
  await world.launchServed('far');
});
afterAll(async () => {
  await world.shut();
});

/** What ends an agent or types into it. */
const ACTS = [
  ['agents', 'prompt', '--prompt', 'not for you'],
  ['agents', 'send-keys', '--sequence', 'x'],
  ['agents', 'interrupt'],
  ['agents', 'gateway', 'detach'],
  ['agents', 'relaunch'],
  ['agents', 'leave'],
  ['stop'],
];
const isThere = async (): Promise<boolean> => (await world.ask('GET', '/agents/far')).status === 200;

/** The server is the one on the default port. */
const rouse = (args: string[], env: NodeJS.ProcessEnv) =>
  world.rouse(args, { CAO_PORT: String(world.server.port), ...env });

describe('a name that this home does not know', () => {
  it.each(ACTS.map((words) => ({ words, command: words.join(' ') })))(
    'a name that this home does not know is not looked up at the server of another home by $command',
    async ({ words }) => {
      const said = await rouse([...words, '--agent-name', 'far'], {
        ROUSE_HOME: path.join(elsewhere, 'home'),
      });
      expect([said.code, said.stdout]).toEqual([3, '']);
      expect(said.stderr).toMatch(/no agent with name "far".*\n.*--pair-port/);
      expect(await isThere()).toBe(true);
    },
  );

  it('a name that this home does not know is looked up at its own server, and every line about it names that server', async () => {
    const { instance_id } = (await (await fetch(`${world.url}/health`)).json()) as { instance_id: string };
    const files = path.join(world.env['ROUSE_HOME']!, 'server');
    fs.mkdirSync(files, { recursive: true });
    fs.writeFileSync(path.join(files, 'current-instance.json'), JSON.stringify({ instance_id }));
    const unknown = { HOUMAO_GLOBAL_REGISTRY_DIR: path.join(elsewhere, 'registry') };
    const there = `is an agent of the server at ${world.url}`;
    const keys = await rouse(['agents', 'send-keys', '--agent-name', 'far', '--sequence', 'x'], unknown);
    expect(keys.stderr).toContain(there);
    const stopped = await rouse(['stop', 'far'], unknown);
    expect([stopped.code, stopped.stderr]).toEqual([0, expect.stringContaining(there)]);
    expect(stopped.stdout).toContain(`far (of the server at ${world.url}): `);
    expect(await isThere()).toBe(false);
  });
});
