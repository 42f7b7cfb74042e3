import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTranscript } from '../support/scripted-agent.ts';
import { ROOT, TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(() => {
  world = new TestWorld();
});
afterAll(async () => {
  await world.close();
});

const json = (...args: string[]) => world.rouse(['--print-json', ...args]);
const USUAL = { enabled: true, interval_seconds: 60, repeat: 'backoff', wakes_per_hour: 30 };

async function mailTo(name: string): Promise<void> {
  const words = ['--to', `${name}@houmao.localhost`, '--subject', 'look', '--body-content', 'please'];
  const said = await json('agents', 'mail', 'send', '--agent-name', name, ...words);
  expect([said.code, said.stderr]).toEqual([0, '']);
}

/** The prompt that the agent really received, when there is one. */
async function submitted(transcript: string): Promise<string> {
  const records = await world.until(() => {
    const found = readTranscript(transcript).filter(({ type }) => type === 'submitted');
    return found.length > 0 ? found : undefined;
  });
  return JSON.stringify(records);
}

describe('agents launch --wake', () => {
  it('agents launch --wake attaches the gateway, turns on wakes with a budget, and the agent is woken for its mail', async () => {
    const said = await json('agents', 'launch', '--tool', 'scripted', '--agent-name', 'ana', '--wake');
    expect([said.code, said.stderr]).toEqual([0, '']);
    expect(said.json['gateway']).toMatchObject({ gateway_health: 'healthy' });
    expect(said.json['wakes']).toMatchObject(USUAL);
    await mailTo('ana');
    const { transcript_path } = (await json('agents', 'show', '--agent-name', 'ana')).json;
    expect(await submitted(transcript_path)).toContain('/v1/mail/list');
  });

  it('agents launch --wake says in one line what is on and what is not', async () => {
    const words = ['agents', 'launch', '--tool', 'scripted', '--agent-name'];
    const off = (await world.rouse([...words, 'off'])).stdout;
    expect(off).toMatch(/^wakes off: add --wake, or "rouse agents gateway attach --agent-name off"/m);
    const attached = (await world.rouse([...words, 'att', '--gateway-auto-attach'])).stdout;
    expect(attached).toMatch(
      /^wakes off: "rouse agents gateway mail-notifier enable --agent-name att --interval-seconds 60 --repeat backoff"/m,
    );
    const on = (await world.rouse([...words, 'on', '--wake', '--gateway-background'])).stdout;
    expect(on).toMatch(/^woken for all open mail; repeats back off from 1 min; at most 30\/h/m);
  });

  it('agents launch --wake is refused without a mailbox, and nothing is started', async () => {
    const words = [
      'agents',
      'launch',
      '--tool',
      'scripted',
      '--agent-name',
      'none',
      '--wake',
      '--no-mailbox',
    ];
    expect((await json(...words)).code).toBe(2);
    expect((await json('agents', 'show', '--agent-name', 'none')).code).toBe(3);
  });

  it('agents launch --wake leaves the agent running where the gateway cannot be attached, and says so', async () => {
    const taken = (await json('agents', 'gateway', 'status', '--agent-name', 'ana')).json['gateway_port'];
    const words = ['agents', 'launch', '--tool', 'scripted', '--agent-name', 'busy', '--wake'];
    const said = await world.rouse([...words, '--gateway-port', String(taken)]);
    expect(said.code).not.toBe(0);
    expect(said.stderr).toContain('its gateway was not attached');
    expect(said.stdout).toContain('wakes off');
    expect((await json('agents', 'show', '--agent-name', 'busy')).json['process'].tool_running).toBe(true);
  });
});

describe('agents join --wake', () => {
  it('agents join --wake wakes a tool that a person started by hand, with no window of ours in the session', async () => {
    const transcript = path.join(world.directory, 'mine.jsonl');
    const tool = `${process.execPath} ${path.join(ROOT, 'dist/scripted-agent.cjs')} --name mine --transcript ${transcript}`;
    world.tmux('new-session', '-d', '-s', 'mine', '-c', world.workdir, `sh -c '${tool}; exec sh'`);
    await world.until(() => world.tmux('capture-pane', '-p', '-t', '=mine:0').trim() !== '');
    const before = world.tmux('list-windows', '-t', '=mine:', '-F', '#{window_id}');
    const words = ['agents', 'join', '--agent-name', 'mine', '--target-tmux-session', 'mine', '--wake'];
    const said = await json(...words);
    expect([said.code, said.stderr]).toEqual([0, '']);
    expect(said.json['gateway']).toMatchObject({ execution_mode: 'hosted' });
    expect(said.json['wakes']).toMatchObject(USUAL);
    expect(world.tmux('list-windows', '-t', '=mine:', '-F', '#{window_id}')).toBe(before);
    await mailTo('mine');
    expect(await submitted(transcript)).toContain('/v1/mail/list');
  });
});
