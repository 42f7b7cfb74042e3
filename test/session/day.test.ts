import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ran, TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(() => {
  world = new TestWorld();
});
afterAll(() => world.close());

const rouse = (...args: string[]): Promise<Ran> => world.rouse(args);
const day = async (...args: string[]) => (await world.rouse(['--print-json', 'day', ...args])).json;

describe('rouse day', { timeout: 120_000 }, () => {
  it('a day has the prompts, wakes and mail of agents that run, are idle or were stopped', async () => {
    const ana = await world.agent('ana', ['--turn', '50ms']);
    const ben = await world.agent('ben', ['--turn', '50ms']);
    await rouse('agents', 'prompt', 'ana', 'write \u001b[31ma poem');
    await rouse('agents', 'gateway', 'mail-notifier', 'enable', 'ana', '--interval-seconds', '3600');
    await rouse('send', 'ana', 'just do it\u202e');
    await world.until(() => ana.received().length === 2);
    await rouse(
      'mail',
      'send',
      '--address',
      'ana@houmao.localhost',
      '--to',
      'HOUMAO-operator@houmao.localhost',
      '--subject',
      'done',
      '--body',
      'x',
    );
    await rouse('stop', 'ben');
    expect(ben.name).toBe('ben');

    await world.until(async () => (await day('ana')).agents[0].turns.length === 2);
    const { agents, your_mail, troubles } = await day();
    expect(troubles).toEqual([]);
    expect(agents.map((each: { agent_name: string; state: string }) => each.agent_name)).toEqual([
      'ana',
      'ben',
    ]);
    const [first, second] = agents;
    expect(first.turns).toMatchObject([
      { by: 'prompt', prompt: expect.stringMatching(/^write .*poem$/), trouble: false },
      { by: 'wake', prompt: null },
    ]);
    expect(JSON.stringify(agents)).not.toMatch(/\\u001b|\u001b|\u202e/);
    expect(first.wakes).toMatchObject([{ outcome: 'submitted' }]);
    expect(
      first.mail.map(({ direction, subject }: { direction: string; subject: string }) => [
        direction,
        subject,
      ]),
    ).toEqual([
      ['received', 'just do it'],
      ['sent', 'done'],
    ]);
    expect(first.states.length).toBeGreaterThan(0);
    expect(second.state).toBe('stopped');
    expect(your_mail).toMatchObject([{ with: 'ana', subject: 'done', state: 'unread' }]);

    const { stdout } = await rouse('day', 'ana');
    expect(stdout).toMatch(/ana \(scripted\): 2 turns, 1 wake, 1 mail, 1 sent\./);
    expect(stdout).toMatch(/prompt \(\w+\)\n {4}> write .*a poem/);
    expect((await rouse('day', '--markdown')).stdout).toContain('## ana (scripted)');
  });

  it('a day of an agent that never ran is refused, and one before everything is empty', async () => {
    const unknown = await rouse('day', 'zoe');
    expect([unknown.code, unknown.stderr]).toMatchObject([3, expect.stringContaining('no agent "zoe"')]);
    const past = await day('ana', '--since', '2020-01-01', '--until', '2020-01-02');
    expect(past.agents).toMatchObject([{ turns: [], wakes: [], mail: [], states: [] }]);
    expect((await rouse('day', '--since', 'yesterday')).code).toBe(2);
  });

  it('a day names a source that cannot be read, and shows the others', async () => {
    const root = (await world.rouse(['--print-json', 'agents', 'show', 'ana'])).json;
    expect(root['agent_name']).toBe('ana');
    await rouse('stop', 'ana');
    const { agents } = await day('ana');
    expect(agents).toMatchObject([{ agent_name: 'ana', state: 'stopped', turns: [{}, {}] }]);
  });
});
