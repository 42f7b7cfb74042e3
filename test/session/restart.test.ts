import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MODE_FLAGS } from '../support/gateway-mode.ts';
import { readTranscript } from '../support/scripted-agent.ts';
import { TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let root: string;
let transcript: string;
beforeAll(async () => {
  world = new TestWorld();
  await json('agents', 'launch', '--tool', 'scripted', '--agent-name', 'local', '--', '--turn', '0');
  const { json: agent } = await json('agents', 'show', '--agent-name', 'local');
  root = agent['paths'].gateway_root;
  transcript = agent['transcript_path'];
});
afterAll(async () => {
  await json('agents', 'stop', '--agent-name', 'local');
  expect(await world.close()).toEqual([]);
});

const json = (...args: string[]) => world.rouse(['--print-json', ...args]);
const gateway = (action: string, ...args: string[]) =>
  json('agents', 'gateway', action, '--agent-name', 'local', ...args);
const read = (name: string): string => fs.readFileSync(path.join(root, name), 'utf8');
const gateways = () => world.processes().filter(({ words }) => /--gateway-root|--rouse-home/.test(words));
const said = () => readTranscript(transcript).flatMap((each) => (each.type === 'submitted' ? [each] : []));

async function call(port: number, method: string, route: string, body?: object) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/${route}`, {
    method,
    headers: { 'x-rouse': '1', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: output of every shape; each test checks its own
  return (await response.json()) as any;
}

const NEXT_MODE = {
  tmux_auxiliary_window: 'hosted',
  hosted: 'detached_process',
  detached_process: 'tmux_auxiliary_window',
} as const;

const REMINDER = {
  mode: 'one_off',
  title: 'later',
  prompt: 'look again',
  ranking: 0,
  start_after_seconds: 3600,
};

it('another mode and another timing are applied as printed; address, queue, notifier and live reminders stay', async () => {
  const attached = await gateway('attach');
  expect(attached.json).toMatchObject({ execution_mode: 'tmux_auxiliary_window', already_attached: false });
  const port = attached.json['gateway_port'];
  const { reminders } = await call(port, 'POST', 'reminders', { reminders: [REMINDER] });
  await call(port, 'PUT', 'mail-notifier', { interval_seconds: 60 });

  const moved = await gateway('attach', '--background');
  expect(moved.json).toMatchObject({
    execution_mode: 'detached_process',
    gateway_port: port,
    already_attached: true,
    detail: 'restarted: mode foreground → background',
    restarted: [{ setting: 'execution_mode', from: 'tmux_auxiliary_window', to: 'detached_process' }],
  });
  const plain = await world.rouse([
    ...['agents', 'gateway', 'attach', '--agent-name', 'local'],
    ...['--gateway-tui-stale-active-recovery-seconds', '10'],
  ]);
  expect(plain.stdout).toContain('Gateway (restarted: stale-active-recovery-seconds 5 → 10)');
  expect(gateways()).toHaveLength(1);
  expect(JSON.parse(read('run/current-instance.json'))).toMatchObject({
    execution_mode: 'detached_process',
    tui_tracking_timings: { stale_active_recovery_seconds: 10, stability_threshold_seconds: 1 },
  });
  const [kept] = (await call(port, 'GET', 'reminders')).reminders;
  expect(kept.reminder_id).toBe(reminders[0].reminder_id);
  const drift = Date.parse(kept.next_due_at_utc) - Date.parse(reminders[0].next_due_at_utc);
  expect(Math.abs(drift)).toBeLessThan(50);
  expect(await call(port, 'GET', 'mail-notifier')).toMatchObject({ enabled: true, interval_seconds: 60 });
  expect(read('events.jsonl')).not.toContain('reminder_lost_on_restart');

  const [before] = gateways();
  const same = await gateway('attach', '--background', '--gateway-tui-stale-active-recovery-seconds', '10');
  expect(same.json).toMatchObject({ already_attached: true, restarted: [] });
  expect(gateways()).toEqual([before]);
  const other = await gateway('attach', '--gateway-port', '1', '--foreground');
  expect([other.code, other.json['error'].cause]).toEqual([4, 'already_attached']);
  expect(gateways()).toEqual([before]);
});

it('what is being typed and what is queued arrives once, whenever the restart comes', async () => {
  const { json: status } = await gateway('status');
  const port = status['gateway_port'];
  const count = said().length;
  const submit = (n: number) =>
    call(port, 'POST', 'requests', {
      schema_version: 1,
      kind: 'submit_prompt',
      payload: { prompt: `work item ${n}` },
    });
  for (const n of [1, 2, 3, 4]) expect(await submit(n)).toMatchObject({ request_id: expect.any(String) });
  expect((await gateway('attach', '--foreground')).json['restarted']).toHaveLength(1);
  await world.until(() => said().length >= count + 4);
  await world.until(async () => (await call(port, 'GET', 'status')).queue_depth === 0);
  expect(
    said()
      .slice(count)
      .map((each) => each['text']),
  ).toEqual([1, 2, 3, 4].map((n) => `work item ${n}`));
});

it('a rouse that is killed in the middle leaves what the next attach goes on with', async () => {
  const { json: before } = await gateway('status');
  await call(before['gateway_port'], 'POST', 'reminders', { reminders: [REMINDER] });
  const ids = (await call(before['gateway_port'], 'GET', 'reminders')).reminders.map(
    (each: { reminder_id: string }) => each.reminder_id,
  );
  expect(ids).not.toEqual([]);
  for (const point of [
    'session.restart.before_end',
    'session.restart.ended',
    'session.attach.started',
    'session.attach.before_publish',
  ]) {
    const { json: now } = await gateway('status');
    const to = NEXT_MODE[now['execution_mode'] as keyof typeof NEXT_MODE];
    const args = ['agents', 'gateway', 'attach', '--agent-name', 'local', MODE_FLAGS[to]];
    const killed = await world.rouse(args, { ROUSE_CRASH_AT: point });
    expect([point, killed.code]).not.toEqual([point, 0]);
    const again = await gateway('attach', MODE_FLAGS[to]);
    expect([point, again.code, again.stderr]).toEqual([point, 0, '']);
    expect(again.json['execution_mode']).toBe(to);
    expect(JSON.parse(read('desired-config.json')).desired_execution_mode).toBe(again.json['execution_mode']);
    // A host without gateways ends.
    await world.until(() => gateways().length === 1);
    const { reminders } = await call(again.json['gateway_port'], 'GET', 'reminders');
    const kept = reminders.map((each: { reminder_id: string }) => each.reminder_id);
    expect([point, kept], `${read('logs/gateway.log')}\n${read('events.jsonl')}`).toEqual([point, ids]);
  }
  expect(read('events.jsonl')).not.toContain('reminder_lost_on_restart');
});
