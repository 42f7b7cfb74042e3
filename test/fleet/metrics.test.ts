import { afterAll, beforeAll, expect, it } from 'vitest';
import { startFleet, type TestAgent, type TestFleet } from '../support/fleet.ts';

let fleet: TestFleet;
let ana: TestAgent;
beforeAll(async () => {
  fleet = await startFleet();
  ana = await fleet.agent('ana');
});
afterAll(() => fleet.stop());

const metrics = async (): Promise<string> =>
  (
    await fetch(`${fleet.url}/metrics`, { headers: { authorization: `Bearer ${fleet.tokens.admin}` } })
  ).text();

/** How often a route was counted, among prompt responses and among those that the caller asked to hold. */
async function counted(route: string): Promise<{ prompt: number; held: number }> {
  const text = await metrics();
  const of = (name: string): number =>
    [...text.matchAll(new RegExp(`^${name}_count\\{(.*)\\} (\\d+)$`, 'gm'))]
      .filter(([, labels]) => labels!.includes(`route="${route}"`))
      .reduce((sum, [, , count]) => sum + Number(count), 0);
  return { prompt: of('rouse_http_request_seconds'), held: of('rouse_http_held_request_seconds') };
}

const A2A = '/a2a/:workspace_id';

async function rpc(method: string, params: object): Promise<{ result: { tasks: { id: string }[] } }> {
  const response = await fetch(`${fleet.url}/a2a/${ana.workspaceId}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${fleet.tokens.user}`,
      'content-type': 'application/json',
      'a2a-version': '1.0',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await response.json()) as never;
}
const message = (text: string) => ({ messageId: text, role: 'ROLE_USER', parts: [{ text }] });
const beat = (wait_seconds: number) =>
  ana.client.call('registry.heartbeat', {
    body: { session_id: 'session-of-ana', active_tasks: 0, wait_seconds },
  });

it('every metric has a sentence and a type before its samples', async () => {
  const lines = (await metrics()).trim().split('\n');
  const described = new Set<string>();
  for (const line of lines) {
    const [, kind, name] = /^# (HELP|TYPE) (\w+) \S/.exec(line) ?? [];
    if (kind === 'TYPE') expect(described, line).toContain(`HELP ${name}`);
    if (kind) described.add(`${kind} ${name}`);
    else
      expect(described, line).toContain(`TYPE ${line.match(/^\w+/)![0].replace(/_(bucket|sum|count)$/, '')}`);
  }
});

it('an answer that the caller asked to hold is counted apart from the others', async () => {
  await beat(0);
  const waiting = beat(20);
  await rpc('SendMessage', { message: message('a'), configuration: { returnImmediately: true } });
  await waiting;
  expect(await counted('/registry/heartbeat')).toEqual({ prompt: 1, held: 1 });

  await ana.client.call('mailbox.bind', { body: {} });
  for (const wait_seconds of [0, 20])
    await ana.client.call('mailbox.watch', { body: { version: 'another', wait_seconds } });
  expect(await counted('/mailbox/watch')).toEqual({ prompt: 1, held: 1 });

  const before = await counted(A2A);
  const held = rpc('SendMessage', { message: message('b') });
  const submitted = { status: 'TASK_STATE_SUBMITTED' };
  let id: string | undefined;
  await expect.poll(async () => (id = (await rpc('ListTasks', submitted)).result.tasks[0]?.id)).toBeDefined();
  await rpc('CancelTask', { id });
  await held;
  expect((await counted(A2A)).held - before.held).toBe(1);
});
