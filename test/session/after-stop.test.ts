import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ran, TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeEach(() => {
  world = new TestWorld();
});
afterEach(() => world.close());

const json = (...args: string[]): Promise<Ran> => world.rouse(['--print-json', ...args]);
const socket = (): string => path.join(world.directory, 'ana.sock');
const launch = (args: string[] = [], flags: string[] = []): Promise<Ran> =>
  json('launch', 'scripted', 'ana', '--wake', ...flags, '--', '--control', socket(), ...args);
const prompt = async (text: string): Promise<void> => {
  await world.until(async () => (await json('ls')).json['agents'][0].state === 'idle');
  const { code, stderr } = await json('agents', 'prompt', 'ana', '--prompt', text);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
};

/** The conversations in which the tool was started, in order. */
function conversations(): string[] {
  const sessions = path.join(world.home, 'runtime/sessions/local_interactive');
  return fs
    .readdirSync(sessions)
    .sort()
    .map((session) => path.join(sessions, session, 'transcript.jsonl'))
    .filter((file) => fs.existsSync(file))
    .flatMap((file) => fs.readFileSync(file, 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as { type: string; session_id: string })
    .filter(({ type }) => type === 'started')
    .map(({ session_id }) => session_id);
}

/** The conversation of the launched agent is known to Rouse. */
async function inConversation({ json: launched }: Ran): Promise<void> {
  const file = path.join(String(launched['session_root']), 'launch/conversation.json');
  await prompt('hello');
  await world.until(() => fs.existsSync(file));
}

describe('an agent that was stopped', () => {
  it('the same launch brings a stopped agent back with its conversation, wake settings, reminders and pause', async () => {
    const first = await launch();
    expect([first.code, first.stderr]).toEqual([0, expect.any(String)]);
    await inConversation(first);
    await json(
      'agents',
      'gateway',
      'mail-notifier',
      'enable',
      'ana',
      '--interval-seconds',
      '77',
      '--repeat',
      'on_change',
    );
    const reminder = [
      '--title',
      'look',
      '--prompt',
      'Look.',
      '--mode',
      'one_off',
      '--ranking',
      '0',
      '--start-after-seconds',
      '3600',
    ];
    const made = await json('agents', 'gateway', 'reminders', 'create', 'ana', ...reminder);
    expect([made.code, made.stderr]).toEqual([0, expect.any(String)]);
    expect((await json('pause', 'ana')).code).toBe(0);
    expect((await json('stop', 'ana')).code).toBe(0);

    const back = await launch();
    expect([back.code, back.json]).toMatchObject([
      0,
      { brought_back: true, resumed: true, session_root: first.json['session_root'] },
    ]);
    const [before, after] = conversations();
    expect(after).toBe(before);
    const { json: notifier } = await json('agents', 'gateway', 'mail-notifier', 'status', 'ana');
    expect(notifier).toMatchObject({ enabled: true, interval_seconds: 77, repeat: 'on_change' });
    const { json: reminders } = await json('agents', 'gateway', 'reminders', 'list', 'ana');
    expect(reminders['reminders']).toMatchObject([{ title: 'look' }]);
    expect((await json('ls')).json['agents']).toMatchObject([{ name: 'ana', paused: { until_utc: null } }]);
  });

  it('--fresh begins a new conversation, and another directory says why there is one', async () => {
    // One project, so that it is one agent.
    fs.mkdirSync(path.join(world.directory, '.git'), { recursive: true });
    await inConversation(await launch());
    await json('stop', 'ana');
    const fresh = await launch([], ['--fresh']);
    expect([fresh.code, fresh.json['brought_back']]).toEqual([0, undefined]);
    await inConversation(fresh);
    await json('stop', 'ana');
    const elsewhere = path.join(world.directory, 'elsewhere');
    fs.mkdirSync(elsewhere);
    const other = await launch([], ['--workdir', elsewhere]);
    expect(other.json['notes']).toEqual([expect.stringContaining('began a new conversation')]);
    expect(new Set(conversations()).size).toBe(3);
  });

  it('a launch with other options takes the conversation into a new session', async () => {
    const first = await launch();
    await inConversation(first);
    await json('stop', 'ana');
    const second = await launch(['--turn', '60ms']);
    expect(second.json).toMatchObject({ notes: [expect.stringContaining('only its conversation')] });
    expect(second.json['session_root']).not.toBe(first.json['session_root']);
    const [before, after] = conversations();
    expect(after).toBe(before);
  });

  it('stop during a turn says so and waits for its end, and mail begins no other one in the meantime', async () => {
    await launch(['--turn', '10m']);
    const control = await world.steer(socket());
    await prompt('work');
    await control.event('turn_started');
    const stopping = world.rouse(['stop', 'ana']);
    await world.until(async () => (await json('ls')).json['agents'][0].paused !== null);
    expect((await json('send', 'ana', 'more work')).code).toBe(0);
    await control.send('end-turn');
    const { code, stderr } = await stopping;
    expect([code, stderr]).toEqual([0, expect.stringContaining('waiting for its end')]);
    expect(control.events.filter(({ type }) => type === 'turn_started')).toHaveLength(1);
    expect((await json('ls')).json['agents']).toEqual([]);
    await launch(['--turn', '10m']);
    expect((await json('ls')).json['agents']).toMatchObject([{ paused: null }]);
  });

  it('stop --now ends a turn at once, and the name alone brings the stopped agent back', async () => {
    const first = await launch(['--turn', '10m']);
    const control = await world.steer(socket());
    await prompt('work');
    await control.event('turn_started');
    const stopped = await world.rouse(['stop', 'ana', '--now']);
    expect([stopped.code, stopped.stderr]).toEqual([0, '']);
    const back = await json('launch', 'ana');
    expect([back.code, back.json]).toMatchObject([
      0,
      { brought_back: true, session_root: first.json['session_root'], wakes: { enabled: true } },
    ]);
    const again = await json('launch', 'ana');
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('runs already')]);
  });

  it('an agent that had no gateway keeps its conversation too', async () => {
    const launch = (): Promise<Ran> => json('launch', 'scripted', 'ana', '--', '--control', socket());
    await launch();
    const prompted = await json('agents', 'prompt', 'ana', '--prompt', 'hello');
    expect([prompted.code, prompted.stderr]).toEqual([0, expect.any(String)]);
    expect((await json('stop', 'ana')).code).toBe(0);
    expect((await launch()).json).toMatchObject({ brought_back: true, resumed: true });
    const [before, after] = conversations();
    expect(after).toBe(before);
  });

  it('the team of a project goes on with its conversations after down and up, unless with --fresh', async () => {
    fs.writeFileSync(path.join(world.workdir, '.rouse.toml'), '[team.ana]\ntool = "scripted"\n');
    await json('config', 'trust');
    const actions = ({ json: { agents } }: Ran): string[] =>
      agents.map(({ action, detail }: { action: string; detail: string }) => `${action}: ${detail}`);
    await json('up');
    const root = (await json('agents', 'list')).json['agents'][0].manifest_path as string;
    await prompt('hello');
    await world.until(() => fs.existsSync(path.join(path.dirname(root), 'launch/conversation.json')));
    await json('down');
    expect(actions(await json('up'))).toEqual([
      expect.stringMatching(/^brought_back: .*with its conversation/),
    ]);
    await json('down');
    expect(actions(await json('up', '--fresh'))).toEqual([expect.stringMatching(/^started: /)]);
    const [first, second, third] = conversations();
    expect([second, third === first]).toEqual([first, false]);
  });
});
