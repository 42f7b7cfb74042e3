import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock, writeFileAtomic } from '../../src/base/index.ts';
import { TicketsClient } from '../../src/client/index.ts';
import { Outbox, SUBSCRIPTION_DEFAULTS, signalsDirectory } from '../../src/notices/index.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';
import { Receiver } from './support/receiver.ts';

/** A fleet server reports what people are asked, and agents of other hosts that fell silent; nothing before someone subscribes. */
let home: string;
let directory: string;
let fleet: TestFleet;
let receiver: Receiver;
let outbox: Outbox;
const secret = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;

beforeAll(async () => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'notices-'));
  const at = (name: string): string => path.join(home, name);
  directory = at('runtime/notices');
  const settings = {
    runtimeDir: at('runtime'),
    mailboxDir: at('mailbox'),
    registryDir: at('registry'),
    tmuxSocket: at('tmux'),
  };
  receiver = await Receiver.start();
  receiver.secret = secret;
  fleet = await startFleet({ config: { agents: { settings, env: { HOME: home } }, livenessSeconds: 60 } });
});
afterAll(async () => {
  outbox?.close();
  await fleet.stop();
  await receiver.stop();
  fs.rmSync(home, { recursive: true, force: true });
});

const signal = (): void =>
  writeFileAtomic(path.join(signalsDirectory(directory), 'changed'), '', { durable: false });
const until = async (look: () => boolean): Promise<void> => {
  while (!look()) await new Promise((resolve) => setTimeout(resolve, 20));
};

it('a request to people is reported by the server until it is answered, to the person it is for', async () => {
  expect(fs.readdirSync(directory)).toEqual(['signals']);
  const asking = new TicketsClient((await fleet.agent('ben')).client);
  const ask = (title: string, recipient_id = '') =>
    asking.create({ kind: 'approval', recipient_type: 'user', recipient_id, title });
  const { request_id: id } = await ask('May I delete the branch?');
  outbox = new Outbox({ directory, clock: systemClock });
  const settings = { ...SUBSCRIPTION_DEFAULTS, after_seconds: 0 };
  outbox.add('webhook', { url: receiver.url, format: 'standard', secret }, { ...settings, who: 'ana' });
  signal();
  await until(() => receiver.opened.length === 1);
  expect(receiver.opened[0]!.data).toMatchObject({
    kind: 'request',
    agent: 'ben',
    title: 'ben sent you a request',
  });
  await ask('For someone else', 'lead');
  const mine = await ask('For ana', 'ana');
  await until(() => receiver.opened.length === 2);
  await new TicketsClient(fleet.orgAdmin).respond(id, { action: 'approved' });
  await new TicketsClient(fleet.user).respond(mine.request_id, { action: 'approved' });
  await until(() => receiver.showing.length === 0);
  expect([receiver.opened.length, receiver.forged]).toEqual([2, 0]);
});

it('an agent of another host that fell silent is reported, and one that left in good order is not', async () => {
  const before = receiver.opened.length;
  for (const [name, silence] of [
    ['silent', '120 seconds'],
    ['left', '5 seconds'],
  ] as const) {
    const { workspaceId } = await fleet.agent(name);
    await fleet.sql.query(
      `UPDATE workspaces SET status = 'offline', host = 'far-away', status_changed_at = now(),
         last_heartbeat_at = now() - interval '${silence}' WHERE id = $1`,
      [workspaceId],
    );
  }
  signal();
  await until(() => receiver.opened.length === before + 1);
  expect(receiver.opened.at(-1)!.data).toMatchObject({ kind: 'gateway_dead', agent: 'silent' });
});
