import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestWorld } from '../support/test-world.ts';

const SECRET = 'sk-this-must-never-be-seen-0123456789';
let world: TestWorld;

beforeAll(async () => {
  world = new TestWorld();
  const launch = [
    '--print-json',
    'agents',
    'launch',
    '--tool',
    'scripted',
    '--agent-name',
    'gpu',
    '--gateway-auto-attach',
  ];
  const said = await world.rouse(launch, { MY_API_KEY: SECRET });
  expect([said.code, said.stderr]).toEqual([0, '']);
});
afterAll(async () => {
  await world.rouse(['agents', 'stop', '--agent-name', 'gpu']);
  await world.close();
});

const environmentOf = (words: RegExp): string => {
  const { pid } = world.processes().find((each) => words.test(each.words))!;
  return fs.readFileSync(`/proc/${pid}/environ`, 'utf8');
};

describe('a credential of the caller', () => {
  it('a credential of the caller reaches the tool and the gateway', () => {
    expect(environmentOf(/scripted-agent/)).toContain(SECRET);
    expect(environmentOf(/--gateway-root/)).toContain(SECRET);
  });

  it('a credential of the caller is in no command line of any process', () => {
    const lines = fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .map((pid) => {
        try {
          return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        } catch {
          return '';
        }
      });
    expect(lines.filter((line) => line.includes(SECRET))).toEqual([]);
  });

  it('a credential of the caller is in no variable that tmux shows, of the session or of the server', () => {
    const session = world.tmux('list-sessions', '-F', '#{session_name}');
    expect(world.tmux('show-environment', '-t', `=${session}`)).not.toContain(SECRET);
    expect(world.tmux('show-environment', '-g')).not.toContain(SECRET);
    expect(world.tmux('show-environment', '-g')).toContain('PATH=');
  });

  it('a credential of the caller is in no file that stays', () => {
    const home = path.join(world.directory, 'home');
    const holding = fs
      .readdirSync(home, { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(home, name))
      .filter((file) => fs.lstatSync(file).isFile() && fs.readFileSync(file).includes(SECRET));
    expect(holding).toEqual([]);
  });

  it('a credential of the caller is only named in the manifest', async () => {
    const { json } = await world.rouse(['--print-json', 'agents', 'show', '--agent-name', 'gpu']);
    const manifest = JSON.parse(fs.readFileSync(json['paths'].manifest, 'utf8'));
    expect(manifest.launch_plan.env_var_names).toEqual(['MY_API_KEY']);
  });

  it('a credential comes from the person who relaunches, and the command says when it does not', async () => {
    const said = await world.rouse(['--print-json', 'agents', 'relaunch', '--agent-name', 'gpu']);
    expect(said.json['notes']).toEqual([expect.stringContaining('MY_API_KEY')]);
    expect(environmentOf(/scripted-agent/)).not.toContain(SECRET);
  });
});

it('no file or directory of a session can be read by others', () => {
  expect(world.readableByOthers()).toEqual([]);
});

it('a stopped session keeps no token of its agent', async () => {
  const tokens = (): string[] =>
    (fs.readdirSync(world.directory, { recursive: true }) as string[]).filter((file) =>
      file.endsWith('mcp/token'),
    );
  expect(tokens()).toHaveLength(1);
  await world.rouse(['agents', 'stop', '--agent-name', 'gpu']);
  expect(tokens()).toEqual([]);
});
