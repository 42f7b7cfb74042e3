import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { roster } from '../../src/session/index.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';
import { WAIT } from './support/jobs.ts';

const world = new TestWorld();
let ana: WorldAgent;
beforeAll(async () => {
  ana = await world.agent('ana', ['--turn', '200ms']);
}, 120_000);
afterAll(() => world.close());

/** As `rouse ls` and the page show it. */
const standing = async (): Promise<string> => {
  const { agents } = await roster(world.context);
  const { reason, needs_you } = agents.find(({ name }) => name === 'ana')!;
  return `${reason}; ${needs_you ?? 'no one is needed'}`;
};
const is = (wanted: string): Promise<void> =>
  vi.waitFor(async () => expect(await standing()).toContain(wanted), WAIT);

/** Every standing since the start, as the timeline shows it. */
async function recorded(): Promise<string[]> {
  const { entries } = await ana.client.call('tui.history', { limit: 0 });
  return (entries as { standing?: { words: string } }[]).map(
    ({ standing: { words } = { words: '' } }) => words,
  );
}

it("a prompt that Rouse is typing is never shown as a person's draft, and what a person types is", async () => {
  await is('idle');
  // The paste stays in the composer until Enter is accepted.
  await ana.control.send('swallow-enter', { count: 2 });
  const { request_id } = await ana.client.submitPrompt({ prompt: 'say hello' });
  await is('a prompt is being typed; no one is needed');
  await vi.waitFor(async () => {
    const { ledger } = await ana.client.getRequest(request_id);
    expect(ledger?.map(({ stage }) => stage)).toContain('turn_finished');
  }, WAIT);
  await is('idle');
  const words = await recorded();
  expect(words).toContain('a prompt is being typed');
  expect(words).not.toContain('draft in its composer');
  execFileSync('tmux', [
    '-S',
    world.socket,
    'send-keys',
    '-t',
    `=${ana.facts.tmuxSessionName}:`,
    '-l',
    'mine',
  ]);
  await is('draft in its composer; it has an unsent draft');
}, 120_000);
