import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { isRouseError } from '../../src/base/index.ts';
import { type KillableAgent, type KillWorld, NO_FAULTS } from './kill-world.ts';
import type { Load } from './load.ts';

const LONGEST_MS = 180_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Lets everything run without faults until all accepted work has ended. */
export async function makePeace(world: KillWorld, load: Load): Promise<void> {
  world.setFaults(NO_FAULTS);
  world.disk.empty();
  await Promise.all([world.server.stay(), ...world.agents.map(({ gateway }) => gateway.stay())]);
  const stopped = load.stop();
  const until = performance.now() + LONGEST_MS;
  await stopped;
  let last = '';
  for (let calm = 0; calm < 3 && performance.now() < until; await pause(500)) {
    load.look();
    const waits = await Promise.all(world.agents.map((agent) => waitsAt(agent).catch(notNow)));
    const left = [...waits, await openTasks(world, load).catch(notNow)].filter(Boolean);
    calm = left.length > 0 ? 0 : calm + 1;
    if (left.join() !== last) console.log(`still under way: ${left.join('; ') || 'nothing'}`);
    last = left.join();
  }
  if (last !== '') for (const agent of world.agents) console.log(sceneOf(agent));
}

/** The agent's screen and the lane's record of the last attempt, for finding the cause. */
function sceneOf({ name, root, facts }: KillableAgent): string {
  const run = path.join(root, 'run');
  const notes = fs.readdirSync(run).filter((file) => file.startsWith('lane-') && file.endsWith('.json'));
  const pane = ['-S', facts.tmuxSocket!, 'capture-pane', '-p', '-t', `=${facts.tmuxSessionName}:0`];
  return [
    `── ${name}`,
    spawnSync('tmux', pane, { encoding: 'utf8' }).stdout.trimEnd(),
    ...notes.map((file) => `${file}: ${fs.readFileSync(path.join(run, file), 'utf8')}`),
  ].join('\n');
}

/** A gateway that does not respond yet counts as busy. */
function notNow(error: unknown): string {
  if (!isRouseError(error)) throw error;
  return error.message;
}

/** The unfinished work of an agent. */
async function waitsAt({ name, client, fleet, workspaceId }: KillableAgent): Promise<string> {
  const roof = `/workspaces/${workspaceId}/requests`;
  const { requests: asked } = await fleet.request<{ requests: { id: string }[] }>('GET', `${roof}/inbox`);
  for (const { id } of asked) await fleet.request('POST', `${roof}/${id}/respond`, { action: 'done' });
  const [accepted, running, reminders, mail] = await Promise.all([
    client.call('requests.list', { state: 'accepted', limit: 10 }),
    client.call('requests.list', { state: 'running', limit: 1 }),
    client.reminders(),
    client.call('mail.status', {}),
  ]);
  const counts = {
    asked: asked.length,
    accepted: accepted.requests.length,
    running: running.requests.length,
    reminders: reminders.reminders.length,
    mail: mail.open_count ?? 0,
  };
  const left = Object.entries(counts).filter(([, count]) => count > 0);
  return left.length > 0 ? `${name} ${left.map((pair) => pair.join(' ')).join(', ')}` : '';
}

/** Messages whose end the server does not know yet. */
async function openTasks(world: KillWorld, load: Load): Promise<string> {
  const messages = load.items.filter(({ kind, accepted }) => kind === 'message' && accepted);
  for (const { agent, id, token } of messages.slice(-60)) {
    const { workspaceId } = world.agents.find(({ name }) => name === agent)!;
    const call = { jsonrpc: '2.0', id: 'look', method: 'tasks/get', params: { id } };
    const { result } = await world.user.request<{ result?: { status: { state: string } } }>(
      'POST',
      `/a2a/${workspaceId}`,
      call,
    );
    const state = result?.status.state ?? 'unknown';
    if (!['completed', 'failed', 'canceled'].includes(state))
      return `message ${token} of ${agent} is ${state}`;
  }
  return '';
}
