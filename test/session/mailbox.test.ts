import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = new TestWorld();
  await world.launch('gpu');
});
afterAll(async () => {
  await json('agents', 'stop', '--agent-name', 'gpu');
  await world.close();
});

const json = (...args: string[]) => world.rouse(['--print-json', ...args]);
const mailbox = (action: string, ...flags: string[]) =>
  json('agents', 'mailbox', action, '--agent-name', 'gpu', ...flags);

it('an agent launched without a mailbox has none, and its mail cannot be resolved', async () => {
  expect((await mailbox('status')).json).toMatchObject({
    registered: false,
    activation_state: null,
    mailbox: null,
  });
  const said = await json('agents', 'mail', 'resolve-live', '--agent-name', 'gpu');
  expect([said.code, said.json['error'].cause]).toEqual([3, 'no_binding']);
});

it('registering gives it one without a relaunch, and everybody can find it', async () => {
  const said = await mailbox('register');
  expect(said.json).toMatchObject({
    registered: true,
    mailbox: { address: 'gpu@houmao.localhost', principal_id: 'HOUMAO-gpu' },
  });
  expect((await mailbox('status')).json).toMatchObject({ registered: true, activation_state: 'active' });
  const live = await json('agents', 'mail', 'resolve-live', '--agent-name', 'gpu');
  expect(live.json).toMatchObject({
    address: 'gpu@houmao.localhost',
    gateway_available: false,
    managed_agent: { agent_name: 'gpu' },
  });
  expect((await json('agents', 'list')).json['agents'][0].mail_address).toBe('gpu@houmao.localhost');
});

it('registering again changes nothing, another address is refused, and a taken one too', async () => {
  expect((await mailbox('register')).json).toMatchObject({ reused_existing: true });
  const other = await mailbox('register', '--address', 'x@houmao.localhost');
  expect([other.code, other.json['error'].cause]).toEqual([4, 'already_bound']);
  const taken = await json(
    'agents',
    'launch',
    '--tool',
    'scripted',
    '--agent-name',
    'b',
    '--mailbox-address',
    'gpu@houmao.localhost',
  );
  expect(taken.code).toBe(4);
  expect((await json('agents', 'list')).json['agents']).toHaveLength(1);
  expect(
    (await mailbox('register', '--address', 'HOUMAO-operator@houmao.localhost', '--mode', 'force')).code,
  ).toBe(8);
});

it('a binding whose mailbox was taken away elsewhere is reported as stale', async () => {
  const { json: before } = await mailbox('status');
  await json(
    'mailbox',
    'unregister',
    '--mailbox-root',
    before['mailbox'].filesystem_root,
    '--address',
    'gpu@houmao.localhost',
  );
  const status = await mailbox('status');
  if (status.json['activation_state'] === null) {
    const said = await json('agents', 'mail', 'resolve-live', '--agent-name', 'gpu');
    expect([said.code, said.json['error'].cause]).toEqual([4, 'stale_binding']);
    await mailbox('register');
  }
  expect((await mailbox('status')).json['activation_state']).toBe('active');
});

it('unregistering takes it away, once', async () => {
  expect((await mailbox('unregister')).json).toMatchObject({
    registered: false,
    resulting_status: 'inactive',
  });
  expect((await mailbox('status')).json).toMatchObject({ registered: false });
  expect((await mailbox('unregister')).code).toBe(3);
});
