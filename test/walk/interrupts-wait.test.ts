import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestView } from '../../src/wire/index.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';
import { PersonAtClient } from '../terminal/person-at-client.ts';

/** Interrupts through a real gateway and real tmux, when no keys can be pressed at once. */
const world = new TestWorld();
const person = new PersonAtClient();
let agent: WorldAgent;
beforeAll(async () => {
  agent = await world.agent('ana', ['--turn', '50ms']);
});
afterAll(async () => {
  await person.close();
  await world.close();
});

const WAIT = { timeout: 20_000, interval: 50 };
const { socket } = world;
const tmux = (...args: string[]): string =>
  execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8' }).trim();
const window = (): string => `=${agent.facts.tmuxSessionName}:0`;

async function interrupt(): Promise<string> {
  return (await agent.client.call('requests.create', { body: { kind: 'interrupt', payload: {} } }))
    .request_id;
}

const stages = ({ ledger = [] }: RequestView): string[] => ledger.map(({ stage }) => stage);

async function busy(): Promise<void> {
  await agent.control.send('busy', { ms: 600_000 });
  await expect.poll(() => agent.client.tuiState().then((state) => state.turn.phase), WAIT).toBe('active');
}

/** Waits until the request waits for this reason; its ledger must not have grown. */
async function waitsFor(id: string, reason: string): Promise<void> {
  await expect.poll(() => agent.client.getRequest(id).then((view) => view.waiting_reason), WAIT).toBe(reason);
  expect(stages(await agent.client.getRequest(id))).toEqual(['accepted']);
}

describe('an interrupt', () => {
  it('an interrupt waits while a person scrolls in copy mode, with one entry in the ledger, and goes in afterwards', async () => {
    await busy();
    await person.attach({ socket, session: agent.facts.tmuxSessionName });
    tmux('copy-mode', '-t', window());
    await expect
      .poll(() => agent.client.tuiState().then((state) => state.not_ready_reasons), WAIT)
      .toContain("copy_mode='yes'");
    const id = await interrupt();
    await waitsFor(id, "copy_mode='yes'");
    tmux('send-keys', '-X', '-t', window(), 'cancel');
    const view = await agent.client.getRequest(id, true);
    expect(view.outcome).toBe('submitted');
    expect(stages(view)).toEqual(['accepted', 'running', 'finished']);
    await person.close();
  });

  it('an interrupt leaves copy mode that was left behind', async () => {
    const people = () =>
      tmux('list-clients', '-t', `=${agent.facts.tmuxSessionName}`, '-F', '#{client_control_mode}');
    await expect.poll(people, WAIT).not.toContain('0');
    await busy();
    tmux('copy-mode', '-t', window());
    const view = await agent.client.getRequest(await interrupt(), true);
    expect(stages(view)).toEqual(['accepted', 'running', 'finished']);
    expect(tmux('display-message', '-p', '-t', window(), '#{pane_in_mode}')).toBe('0');
  });

  it('an interrupt waits while another program is in front, with one entry in the ledger', async () => {
    await agent.control.send('crash-to-shell');
    await expect
      .poll(() => tmux('capture-pane', '-p', '-t', window()), WAIT)
      .toContain('This is a shell now');
    tmux('send-keys', '-t', window(), 'exec cat', 'Enter');
    await expect
      .poll(() => agent.client.status().then((status) => status.managed_agent_connectivity), WAIT)
      .toBe('connected');
    await waitsFor(await interrupt(), "process='other'");
  });
});
