import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayClient } from '../../src/client/index.ts';
import { attach, detach, findTarget, join } from '../../src/session/index.ts';
import { ROOT, TestWorld } from '../support/test-world.ts';
import { StandInCao } from './stand-in-cao.ts';
import { SharedTmux, type StandInTerminal } from './stand-in-terminal.ts';

const WAIT = { timeout: 30_000, interval: 50 };
const QUICK = { watch_poll_interval_seconds: 0.2, stability_threshold_seconds: 0.1 };

let world: TestWorld;
let cao: StandInCao;
let terminal: StandInTerminal;

beforeEach(async () => {
  world = new TestWorld();
  cao = await new StandInCao(new SharedTmux(world.socket, world.env)).start();
  terminal = await cao.terminal({
    session: 'cao-team',
    directory: world.directory,
    flags: ['--turn', '50ms'],
  });
  const options = { agentName: 'ana', headless: false, cwd: world.workdir, mailbox: {} };
  await join(world.context, {
    ...options,
    owned: { backend: 'cao_rest', terminalId: terminal.id, url: cao.url },
  });
});
afterEach(async () => {
  await end();
  terminal.control.close();
  await cao.stop();
  await world.close();
});

const target = () => findTarget(world.context, { agentName: 'ana' });
const end = async () => detach(world.context, await target());

/** A gateway that is killed at this crash point, if one is named; its keeper then restarts it. */
async function begin(crashAt?: string): Promise<GatewayClient> {
  const program = [process.execPath, path.join(ROOT, 'dist/gateway.js')];
  const context = {
    ...world.context,
    ...(crashAt && { gatewayProgram: ['env', `ROUSE_CRASH_AT=${crashAt}`, ...program] }),
  };
  const { status } = await attach(context, await target(), { timings: QUICK });
  return new GatewayClient({ host: '127.0.0.1', port: status.gateway_port! });
}

const wakes = (): string[] => terminal.submitted();
const inputs = (): number => cao.asked.filter((each) => each.includes('/input')).length;

describe('while CAO is away', () => {
  it('mail and a reminder wait, say why, and come once when it is back; so they do when the gateway was away too', async () => {
    let client = await begin();
    await client.call('notifier.enable', { body: { interval_seconds: 3600 } });
    await expect.poll(async () => (await client.status()).terminal_surface_eligibility, WAIT).toBe('ready');
    await cao.stop();
    await client.call('mail.post', { body: { subject: 'work', body_content: 'do it' } });
    await expect.poll(async () => (await client.status()).cao?.state, WAIT).toBe('unreachable');
    expect(await client.status()).toMatchObject({
      managed_agent_connectivity: 'connected',
      request_admission: 'open',
    });
    const reminder = {
      title: 'look',
      mode: 'one_off' as const,
      prompt: 'Look around.',
      ranking: 0,
      durable: true,
      missed: 'once' as const,
    };
    await client.call('reminders.create', {
      body: { reminders: [{ ...reminder, start_after_seconds: 0.2 }] },
    });
    await expect
      .poll(async () => JSON.stringify((await client.call('reminders.list', {})).reminders), WAIT)
      .toMatch(/overdue|blocked|due|waiting/);
    expect(wakes()).toEqual([]);
    await end();
    client = await begin();
    await expect.poll(async () => (await client.status()).cao?.state, WAIT).toBe('unreachable');
    await cao.restart();
    await expect.poll(wakes, WAIT).toHaveLength(2);
    await expect.poll(async () => (await client.status()).terminal_surface_eligibility, WAIT).toBe('ready');
    expect((await client.status()).cao).toMatchObject({ state: 'unobserved', status: 'unknown' });
    expect(wakes().filter((text) => text === 'Look around.')).toHaveLength(1);
    expect(inputs()).toBe(2);
    expect(cao.asked.join()).not.toContain('/exit');
  });
});

describe('a gateway that is killed', () => {
  it.each([
    ['lane.typing@1', 'queued and typed once, by the next one'],
    ['lane.asking@1', 'reported as unknown, because the call to CAO leaves no trace'],
    ['lane.asked@1', 'seen to have been submitted'],
  ])('a gateway that is killed at %s: %s', async (point) => {
    const client = await begin(point);
    await client.call('requests.create', {
      body: { kind: 'submit_prompt', payload: { prompt: 'once and only once' } },
    });
    // The keeper restarts it on the same port.
    const state = async (): Promise<string> => {
      const { requests } = await client.call('requests.list', {});
      return `${requests[0]?.state} ${requests[0]?.outcome}`;
    };
    const ended = { 'lane.asking@1': /unconfirmed|unknown/ }[point] ?? /submitted/;
    await expect.poll(() => state().catch(String), WAIT).toMatch(ended);
    expect(wakes()).toEqual(point === 'lane.asking@1' ? [] : ['once and only once']);
    expect(inputs()).toBe(point === 'lane.asking@1' ? 0 : 1);
  });
});
