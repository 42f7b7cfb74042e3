import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ran, TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(() => {
  world = new TestWorld();
});
afterAll(() => world.close());

const TEAM = `
[wake]
interval_seconds = 30

[tools.quick]
tool = "scripted"
args = ["--turn", "50ms"]

[team.ana]
tool = "quick"
mailbox = "mail"

[team.ben]
tool = "scripted"
workdir = "api"
wake = false
`;

const project = (text: string, directory = world.workdir): void => {
  fs.mkdirSync(path.join(directory, 'api'), { recursive: true });
  fs.writeFileSync(path.join(directory, '.rouse.toml'), text, { mode: 0o644 });
};
const json = (...args: string[]): Promise<Ran> => world.rouse(['--print-json', ...args]);
const outcomes = ({ json }: Ran): string[] =>
  json['agents'].map(({ name, action }: { name: string; action: string }) => `${name} ${action}`);
const notifier = async (name: string): Promise<unknown> =>
  (await json('agents', 'gateway', 'mail-notifier', 'status', '--agent-name', name)).json;

/** The arguments of the real starts of the scripted agent of this name, in order. */
function starts(name: string): { session_id: string }[] {
  const sessions = path.join(world.directory, 'home/runtime/sessions/local_interactive');
  return fs
    .readdirSync(sessions)
    .map((session) => path.join(sessions, session))
    .filter(
      (root) => JSON.parse(fs.readFileSync(path.join(root, 'manifest.json'), 'utf8')).agent_name === name,
    )
    .flatMap((root) => fs.readFileSync(path.join(root, 'transcript.jsonl'), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'started');
}

describe('the team of a project', () => {
  it('the team of a project is not started before its file is trusted', async () => {
    project(TEAM);
    const refused = await json('up');
    expect([refused.code, refused.json['error']]).toMatchObject([3, { cause: 'untrusted' }]);
    expect(world.tmux('list-sessions')).toBe('');
    expect((await json('config', 'trust')).code).toBe(0);
  });

  it('the team of a project is started with presets, mailbox, gateway and wakes as the file says, and left alone when it runs', async () => {
    const first = await json('up');
    expect([first.code, outcomes(first)]).toEqual([0, ['ana started', 'ben started']]);
    expect(await notifier('ana')).toMatchObject({ enabled: true, interval_seconds: 30, repeat: 'backoff' });
    expect(await notifier('ben')).toMatchObject({ enabled: false });
    const { agents } = (await json('agents', 'list')).json;
    expect(agents).toMatchObject([
      { agent_name: 'ana', gateway: 'live', working_directory: fs.realpathSync(world.workdir) },
      {
        agent_name: 'ben',
        gateway: 'live',
        working_directory: fs.realpathSync(path.join(world.workdir, 'api')),
      },
    ]);
    expect(fs.existsSync(path.join(world.workdir, 'mail'))).toBe(true);
    const again = await json('up');
    expect([again.code, outcomes(again)]).toEqual([0, ['ana running', 'ben running']]);
    expect([starts('ana').length, starts('ben').length]).toEqual([1, 1]);
  });

  it('the team of a project gets a gateway again that was detached, and nothing else', async () => {
    await json('agents', 'gateway', 'detach', '--agent-name', 'ben');
    expect(outcomes(await json('up', 'ben'))).toEqual(['ben running']);
    expect((await json('agents', 'list')).json['agents'][1]).toMatchObject({ gateway: 'live' });
    expect(starts('ben').length).toBe(1);
  });

  it('the team of a project is brought back after everything ended at once, with conversation, queue and wakes', async () => {
    expect((await json('agents', 'prompt', '--agent-name', 'ana', '--prompt', 'hello')).code).toBe(0);
    await json(
      'agents',
      'gateway',
      'mail-notifier',
      'enable',
      '--agent-name',
      'ana',
      '--interval-seconds',
      '77',
    );
    const [ana] = world.tmux('list-sessions', '-F', '#{session_name}').split('\n');
    const root = path.dirname(
      world.tmux('show-environment', '-t', `=${ana}:`, 'HOUMAO_MANIFEST_PATH').split('=')[1]!,
    );
    await world.until(() => fs.existsSync(path.join(root, 'launch/conversation.json')));
    world.tmux('kill-server');
    await world.until(() => world.processes().length === 0);

    const back = await json('up');
    expect([back.code, outcomes(back)]).toEqual([0, ['ana brought_back', 'ben brought_back']]);
    expect(back.json['agents'][0]).toMatchObject({
      detail: expect.stringContaining('with its conversation'),
      notes: [],
    });
    expect(back.json['agents'][1].notes).toEqual([expect.stringContaining('began a new conversation')]);
    const [before, after] = starts('ana');
    expect(after!.session_id).toBe(before!.session_id);
    expect(await notifier('ana')).toMatchObject({ enabled: true, interval_seconds: 77 });
    const { requests } = (await json('agents', 'gateway', 'requests', 'list', '--agent-name', 'ana')).json;
    expect(requests.length).toBeGreaterThan(0);
  });

  it('the team of a project: up reports each agent that could not be started, starts the others, and exits with the reason', async () => {
    project(`${TEAM}\n[team.eve]\ntool = "codex"\n[team.dan]\ntool = "scripted"\n`);
    await json('config', 'trust');
    const some = await world.rouse(['--print-json', 'up'], { PATH: '/usr/bin:/bin' });
    expect(outcomes(some)).toEqual(['ana running', 'ben running', 'eve failed', 'dan started']);
    expect(some.code).toBe(7);
    expect(some.json['agents'][2].error).toMatchObject({ cause: 'program_missing' });
  });

  it('the team of a project lives beside the team of another project with the same names', async () => {
    const other = path.join(world.directory, 'other');
    project('[team.ana]\ntool = "scripted"\n', other);
    await json('config', 'trust', other);
    const at = (...args: string[]): Promise<Ran> => {
      const here = world.workdir;
      Object.assign(world, { workdir: other });
      const done = json(...args);
      Object.assign(world, { workdir: here });
      return done;
    };
    expect(outcomes(await at('up'))).toEqual(['ana started']);
    expect(outcomes(await at('up'))).toEqual(['ana running']);
    const { agents } = (await json('agents', 'list')).json;
    expect(agents.map((agent: { agent_name: string }) => agent.agent_name)).toEqual([
      ...['ana', 'ben', 'dan', 'other-ana'],
    ]);
    expect(outcomes(await at('down'))).toEqual(['ana stopped']);
    expect(outcomes(await at('down'))).toEqual(['ana not_running']);
    expect(outcomes(await json('up', 'ana'))).toEqual(['ana running']);
  });

  it('the team of a project ends with down, which may be repeated', async () => {
    const wrong = await json('down', 'bne');
    expect([wrong.code, wrong.json['error'].hint]).toEqual([3, 'did you mean "ben"?']);
    const first = await json('down');
    expect([first.code, outcomes(first)]).toEqual([
      0,
      ['ana stopped', 'ben stopped', 'eve not_running', 'dan stopped'],
    ]);
    const second = await json('down');
    expect([
      second.code,
      [...new Set(second.json['agents'].map(({ action }: { action: string }) => action))],
    ]).toEqual([0, ['not_running']]);
    await world.until(() => world.processes().length === 0);
    expect(world.readableByOthers()).toEqual([]);
  });
});
