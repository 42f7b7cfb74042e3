import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ran, TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(() => {
  world = new TestWorld();
  for (const name of ['shop', 'app', 'other/app']) fs.mkdirSync(at(name), { recursive: true });
});
afterAll(() => world.close());

const at = (name: string): string => path.join(world.directory, name);

/** Runs a command in the directory of a project. */
function inProject(name: string, ...args: string[]): Promise<Ran> {
  world.workdir = at(name);
  return world.rouse(['--print-json', ...args], { CAO_PORT: '1' });
}

const launch = (project: string, name: string): Promise<Ran> =>
  inProject(project, 'launch', 'scripted', name);

/** What is in the mailbox with this address. */
async function subjects(address: string): Promise<string[]> {
  const { json } = await inProject('shop', 'mail', 'list', '--address', address);
  return (json['messages'] ?? []).map(({ subject }: { subject: string }) => subject).sort();
}

/** The agent that a short command means. */
async function meant(project: string, called: string): Promise<string> {
  const { code, json } = await inProject(project, 'agents', 'show', called);
  const short = await inProject(project, 'status', called);
  const named = code === 0 ? json['agent_name'] : undefined;
  const root = short.json['attach_identity'];
  return short.code === 0 ? nameOfSession(root) : `${short.json['error'].cause ?? short.code} ${named ?? ''}`;
}

function nameOfSession(id: string): string {
  const file = path.join(world.home, 'runtime/sessions/local_interactive', id, 'manifest.json');
  return JSON.parse(fs.readFileSync(file, 'utf8')).agent_name;
}

describe('agents of two projects', () => {
  it('an agent gets its own name where it is free, else the one with its project, and launch reports it', async () => {
    const first = await launch('shop', 'ana');
    expect([first.code, first.json['agent_name']]).toEqual([0, 'ana']);
    expect(first.json['project']).toEqual({ name: 'shop', directory: fs.realpathSync(at('shop')) });
    world.workdir = at('app');
    const second = await world.rouse(['launch', 'scripted', 'ana']);
    expect([second.code, second.stdout.split('\n')[0]]).toEqual([
      0,
      'Launched app-ana: ana in its project, app/ana elsewhere; "ana" is an agent of another project',
    ]);
    const again = await launch('app', 'ana');
    expect([again.code, again.json['error'].cause]).toEqual([4, 'agent_in_use']);
  });

  it('the names are beside the manifest, and neither in it nor in the registry', () => {
    const sessions = path.join(world.home, 'runtime/sessions/local_interactive');
    for (const session of fs.readdirSync(sessions)) {
      const manifest = fs.readFileSync(path.join(sessions, session, 'manifest.json'), 'utf8');
      expect(manifest).not.toMatch(/short_name|"project"/);
      const beside = JSON.parse(fs.readFileSync(path.join(sessions, session, 'manifest.rouse.json'), 'utf8'));
      expect(beside).toMatchObject({
        short_name: 'ana',
        project: { name: expect.stringMatching(/shop|app/) },
      });
    }
    const records = path.join(world.home, 'registry/live_agents');
    for (const id of fs.readdirSync(records))
      expect(fs.readFileSync(path.join(records, id, 'record.json'), 'utf8')).not.toMatch(
        /project|short_name/,
      );
  });

  it.each([
    ['shop', 'ana', 'ana'],
    ['app', 'ana', 'app-ana'],
    ['app', 'shop/ana', 'ana'],
    ['shop', 'app/ana', 'app-ana'],
    ['shop', 'app-ana', 'app-ana'],
    ['.', 'ana', 'ana'],
    ['.', 'app/ana', 'app-ana'],
  ])('in %s a short command calls %s, and means %s', async (project, called, name) => {
    expect(await meant(project, called)).toBe(name);
  });

  it('--agent-name is the name on the machine, also where it is the short name of one of mine', async () => {
    const { json } = await inProject('app', 'agents', 'show', '--agent-name', 'ana');
    expect([json['agent_name'], json['project'].name]).toEqual(['ana', 'shop']);
    const other = await inProject('shop', 'agents', 'show', '--agent-name', 'app/ana');
    expect(other.json['agent_name']).toBe('app-ana');
  });

  it('an unknown project, or one without that agent, is refused with a way out', async () => {
    const unknown = await inProject('shop', 'status', 'ap/ana');
    expect([unknown.code, unknown.json['error'].hint]).toEqual([
      3,
      'did you mean "app"? "rouse ls" shows all',
    ]);
    const without = await inProject('shop', 'status', 'app/eve');
    expect([without.code, without.json['error'].hint]).toEqual([3, 'it has: ana']);
  });

  it('ls shows project, directory and branch, and names that lead to each agent from here', async () => {
    spawnSync('git', ['init', '-q', '-b', 'trunk', at('shop')], { env: world.env });
    const { agents } = (await inProject('app', 'ls')).json;
    const rows = agents.map((agent: Record<string, unknown>) => [
      ...[agent['called'], agent['name'], (agent['project'] as { name: string }).name],
      ...[agent['directory'], agent['branch']],
    ]);
    expect(rows).toEqual([
      ['shop/ana', 'ana', 'shop', fs.realpathSync(at('shop')), 'trunk'],
      ['ana', 'app-ana', 'app', fs.realpathSync(at('app')), null],
    ]);
    const here = await inProject('app', 'ls', '--here');
    expect(here.json['agents'].map(({ name }: { name: string }) => name)).toEqual(['app-ana']);
    world.workdir = at('app');
    const table = (await world.rouse(['ls'])).stdout;
    expect(table).toMatch(/^shop\/ana .* shop +trunk +~\/shop$/m);
    expect(table).toMatch(/^ana .* app +- +~\/app$/m);
  });

  it('mail to a bare name goes to the agent of the sender’s project', async () => {
    expect((await inProject('shop', 'send', 'ana', 'for shop')).code).toBe(0);
    expect((await inProject('app', 'send', 'ana', 'for app')).code).toBe(0);
    expect((await inProject('.', 'send', 'app/ana', 'for app from elsewhere')).code).toBe(0);
    await launch('shop', 'ben');
    await launch('app', 'ben');
    // The command runs in one project, the sender is of the other.
    expect((await inProject('app', 'send', '--from', 'shop/ben', 'ana', 'from ben of shop')).code).toBe(0);
    const words = ['--agent-name', 'app-ben', '--to', 'ana', '--subject', 'from ben of app', '--body', 'x'];
    expect((await inProject('shop', 'agents', 'mail', 'send', ...words)).code).toBe(0);
    expect(await subjects('ana@houmao.localhost')).toEqual(['for shop', 'from ben of shop']);
    expect(await subjects('app-ana@houmao.localhost')).toEqual([
      ...['for app', 'for app from elsewhere', 'from ben of app'],
    ]);
  });

  it('an agent that was stopped keeps its name, and a command for it never reaches that of another project', async () => {
    expect((await inProject('app', 'stop', 'ana')).json['agent_name']).toBe('app-ana');
    const again = await inProject('app', 'stop', 'ana');
    expect([again.code, again.json['error'].cause]).toEqual([3, 'stopped']);
    expect((await inProject('app', 'send', 'ana', 'while away')).code).toBe(0);
    expect(await subjects('app-ana@houmao.localhost')).toContain('while away');
    expect(await subjects('ana@houmao.localhost')).not.toContain('while away');
    expect(await meant('shop', 'ana')).toBe('ana');
    // Even when the other one is gone, it has the name and the mail that it had.
    await inProject('shop', 'stop', 'ana');
    const back = await launch('app', 'ana');
    expect(back.json['agent_name']).toBe('app-ana');
    await inProject('app', 'stop', 'ana');
    // And no one takes over the name, and so the mail, of an agent of a project that still exists.
    expect((await launch('other/app', 'eve')).json['agent_name']).toBe('eve');
    expect((await launch('shop', 'ana')).json['agent_name']).toBe('ana');
  });

  it('an agent that the team names and that does not run yet is not that of another project', async () => {
    fs.writeFileSync(path.join(at('other/app'), '.rouse.toml'), '[team.ana]\ntool = "scripted"\n');
    await inProject('other/app', 'config', 'trust');
    for (const line of [
      ['send', 'ana', 'x'],
      ['stop', 'ana'],
      ['status', 'ana'],
    ]) {
      const refused = await inProject('other/app', ...line);
      expect([refused.code, refused.json['error'].cause]).toEqual([3, 'not_started']);
      expect(refused.json['error'].hint).toMatch(/"rouse up ana" starts it; shop\/ana is the one in/);
    }
  });

  it('two projects of one name are refused with both paths', async () => {
    await launch('app', 'ana');
    const both = [fs.realpathSync(at('app')), fs.realpathSync(at('other/app'))];
    const called = await inProject('shop', 'status', 'app/ana');
    expect([called.code, called.json['error'].cause]).toEqual([4, 'ambiguous_project']);
    expect(called.json['error'].projects).toEqual(both);
    // `ana` is shop's and `app-ana` is that of the first: there is no name left.
    const launched = await launch('other/app', 'ana');
    expect([launched.code, launched.json['error'].projects]).toEqual([4, both]);
    expect(await meant('app', 'ana')).toBe('app-ana');
    expect((await inProject('other/app', 'ls', '--here')).json['agents'].length).toBe(1);
  });

  it('two launches of one name at once in two projects both run, and in one project one does', async () => {
    const both = await Promise.all([launch('shop', 'dan'), launch('app', 'dan')]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    // Either may be first.
    const names = both.map(({ json }) => json['agent_name']).sort();
    expect([
      ['app-dan', 'dan'],
      ['dan', 'shop-dan'],
    ]).toContainEqual(names);
    const twice = await Promise.all([launch('shop', 'fay'), launch('shop', 'fay')]);
    expect(twice.map(({ code }) => code).sort()).toEqual([0, 4]);
  });

  it('an agent without a recorded project, as 0.2.0 left it, is of the project it works in', async () => {
    const { json } = await inProject('shop', 'agents', 'show', '--agent-name', 'ben');
    const beside = json['paths'].manifest.replace(/json$/, 'rouse.json');
    const { project: _, short_name: __, ...former } = JSON.parse(fs.readFileSync(beside, 'utf8'));
    fs.writeFileSync(beside, JSON.stringify(former));
    expect(await meant('shop', 'ben')).toBe('ben');
    expect(await meant('app', 'shop/ben')).toBe('ben');
    const { agents } = (await inProject('shop', 'ls', '--here')).json;
    expect(agents.map(({ name }: { name: string }) => name)).toContain('ben');
  });
});
