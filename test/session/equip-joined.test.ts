import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIL_SKILLS } from '../../src/domain/index.ts';
import { TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let bin: string;
beforeAll(() => {
  world = new TestWorld();
  bin = path.join(world.directory, 'bin');
  fs.mkdirSync(bin);
  // Only the name matters here: what is written for this tool beside it.
  fs.writeFileSync(
    path.join(bin, 'claude'),
    '#!/bin/sh\n[ "$1" = --version ] && exec echo 2.1.0\nwhile :; do sleep 1; done\n',
    { mode: 0o755 },
  );
});
afterAll(() => world.close());

const json = (...args: string[]) =>
  world.rouse(['--print-json', ...args], { PATH: `${bin}:${process.env['PATH']}` });
const config = () => path.join(world.directory, '.claude.json');
const skills = () =>
  MAIL_SKILLS.map((name) => path.join(world.directory, '.claude', 'skills', name, 'SKILL.md'));
const present = () => skills().filter((file) => fs.existsSync(file)).length;

async function byHand(session: string): Promise<void> {
  world.tmux('new-session', '-d', '-s', session, '-c', world.workdir, path.join(bin, 'claude'));
  await world.until(() => world.tmux('display-message', '-p', '-t', `=${session}:`, '#{pane_pid}') !== '');
}

const join = async (session: string, ...more: string[]) => {
  await byHand(session);
  return json('agents', 'join', '--agent-name', session, '--target-tmux-session', session, ...more);
};
const leave = (session: string) => json('agents', 'leave', '--agent-name', session);

describe('join and leave', () => {
  it('join installs the skills, says how to get the mail tools, and leave removes what it wrote', async () => {
    const said = await join('one');
    expect([said.code, said.json['skills_written'], said.json['mcp_file']]).toEqual([0, skills(), null]);
    expect(said.json['mcp_line']).toMatch(
      /^mail tools: "rouse mcp install --tool claude --agent-name one", then restart/,
    );
    expect(fs.existsSync(config())).toBe(false);
    const left = await leave('one');
    expect([left.code, left.json['notes']]).toEqual([0, []]);
    expect([present(), fs.existsSync(path.dirname(path.dirname(skills()[0]!)))]).toEqual([0, false]);
  });

  it('join installs no skills when they are not wanted, or there is no mailbox', async () => {
    expect((await join('bare', '--no-install-houmao-skills')).json['skills_written']).toEqual([]);
    await leave('bare');
    expect((await join('mute', '--no-mailbox')).json['skills_written']).toEqual([]);
    await leave('mute');
    expect(present()).toBe(0);
  });

  it('leave keeps skills that another agent of this host uses, and a text that a person changed', async () => {
    await join('two');
    await join('three');
    const left = await leave('two');
    expect(left.json['notes']).toEqual([expect.stringContaining('stay: three uses them')]);
    expect(present()).toBe(2);
    await leave('three');
    expect(present()).toBe(2);
    await json('skills', 'uninstall', '--tool', 'claude');
    await join('four');
    fs.appendFileSync(skills()[0]!, 'mine');
    const changed = await leave('four');
    expect(changed.json['notes']).toEqual([`${skills()[0]} was changed by hand and is left as it is`]);
    expect(skills().map((file) => fs.existsSync(file))).toEqual([true, false]);
    fs.rmSync(path.join(world.directory, '.claude'), { recursive: true });
  });

  it.each([
    ['with its own bytes', '{ "theme":\t"dark",  "mcpServers": {"mine": {"command": "x"}} }'],
    ['by removing it where there was none', undefined],
  ])('--install-mcp edits the configuration, and leave puts it back %s', async (_, before) => {
    if (before === undefined) fs.rmSync(config(), { force: true });
    else fs.writeFileSync(config(), before, { mode: 0o640 });
    const said = await join('edited', '--install-mcp');
    expect([said.code, said.json['mcp_file']]).toEqual([0, config()]);
    const servers = JSON.parse(fs.readFileSync(config(), 'utf8')).mcpServers;
    expect(servers.rouse.env.HOUMAO_MANIFEST_PATH).toBe(said.json['manifest_path']);
    expect(servers.mine).toEqual(before && { command: 'x' });
    const left = await leave('edited');
    expect([left.code, left.json['notes']]).toEqual([0, []]);
    expect(fs.existsSync(config()) ? fs.readFileSync(config(), 'utf8') : undefined).toBe(before);
    if (before !== undefined) expect(fs.statSync(config()).mode & 0o777).toBe(0o640);
    expect(world.tmux('has-session', '-t', '=edited')).toBe('');
    expect(world.tmux('display-message', '-p', '-t', '=edited:', '#{pane_dead}')).toBe('0');
    world.tmux('kill-session', '-t', '=edited');
  });

  it('leave takes only its own entry out of a configuration that was changed since', async () => {
    fs.writeFileSync(config(), '{}');
    const { json: said } = await join('restarted', '--install-mcp');
    const placed = JSON.parse(fs.readFileSync(said['manifest_path'], 'utf8')).launch_plan.metadata.rouse
      .placed;
    expect(placed.mcp).toMatchObject({
      server: 'rouse',
      instance_before: expect.stringMatching(/^\d+-\d+$/),
    });
    // As claude does at every start.
    const document = JSON.parse(fs.readFileSync(config(), 'utf8'));
    fs.writeFileSync(config(), JSON.stringify({ numStartups: 2, ...document }));
    const left = await leave('restarted');
    expect(left.json['notes']).toEqual([expect.stringContaining('was removed, all else stays')]);
    expect(JSON.parse(fs.readFileSync(config(), 'utf8'))).toEqual({ numStartups: 2 });
  });

  it('leave does not touch a configuration that is no JSON any more, and says what to remove by hand', async () => {
    fs.writeFileSync(config(), '{}');
    await join('changed', '--install-mcp');
    const changed = fs.readFileSync(config(), 'utf8').replace('{', '{ // mine');
    fs.writeFileSync(config(), changed);
    const left = await json('agents', 'stop', '--agent-name', 'changed');
    expect([left.code, left.json['session']]).toEqual([0, 'left']);
    expect(left.json['notes']).toEqual([expect.stringMatching(/changed since the join .*"rouse" .*by hand/)]);
    expect(fs.readFileSync(config(), 'utf8')).toBe(changed);
  });

  it('a join that is killed before it wrote the configuration is undone all the same', async () => {
    fs.writeFileSync(config(), '{"as":"it was"}');
    await byHand('killed');
    const words = [
      'agents',
      'join',
      '--agent-name',
      'killed',
      '--target-tmux-session',
      'killed',
      '--install-mcp',
    ];
    const env = { PATH: `${bin}:${process.env['PATH']}`, ROUSE_CRASH_AT: 'session.join.mcp_recorded' };
    expect((await world.rouse(words, env)).code).toBe(-1);
    expect((await leave('killed')).json['notes']).toEqual([]);
    expect(fs.readFileSync(config(), 'utf8')).toBe('{"as":"it was"}');
  });

  it('a configuration that is not plain JSON is not edited; the session is joined, and it is said', async () => {
    fs.writeFileSync(config(), '// mine\n{}');
    const said = await join('odd', '--install-mcp');
    expect([said.code, said.json['mcp_error'].cause]).toEqual([4, 'config_not_editable']);
    expect(fs.readFileSync(config(), 'utf8')).toBe('// mine\n{}');
    expect((await leave('odd')).code).toBe(0);
  });
});

describe('clean', () => {
  const launch = (name: string) => json('agents', 'launch', '--tool', 'claude', '--agent-name', name);

  it('stop leaves the skills, stop --clean of the last agent of a tool removes them', async () => {
    await launch('a');
    await launch('b');
    expect(present()).toBe(2);
    const first = await json('agents', 'stop', '--agent-name', 'a', '--clean');
    expect(first.json['notes']).toEqual([expect.stringContaining('stay: b uses them')]);
    await json('agents', 'stop', '--agent-name', 'b');
    expect(present()).toBe(2);
    await launch('c');
    const last = await json('agents', 'stop', '--agent-name', 'c', '--clean');
    expect([last.code, last.json['notes'], present()]).toEqual([0, [], 0]);
  });
});
