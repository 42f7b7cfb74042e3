import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTokenFile } from '../../src/client/index.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';
import { ServerProcess } from './server-process.ts';

/** Two hosts, each with its own home, registry and tmux server, and one fleet server, a process that is killed on the way. */
let server: ServerProcess;
let hosts: TestWorld[];
beforeEach(async () => {
  server = new ServerProcess();
  await server.start();
  hosts = [];
}, 180_000);
afterEach(async () => {
  for (const host of hosts) await host.close();
  await server.end();
});

const WAIT = { timeout: 90_000, interval: 100 };
const ROUNDS = 4;

function host(mailbox: TestWorld['mailbox'] = { transport: 'fleet' }): TestWorld {
  const world = new TestWorld();
  hosts.push(world);
  const tokenFile = path.join(world.directory, 'token');
  fs.writeFileSync(tokenFile, readTokenFile(server.adminToken), { mode: 0o600 });
  world.fleet = { url: server.url, tokenFile };
  world.mailbox = mailbox;
  return world;
}

async function agentOn(world: TestWorld, name: string): Promise<WorldAgent> {
  const words = [
    '--turn',
    '50ms',
    '--act-on-mail',
    '--reply',
    'round {round}',
    '--reply-rounds',
    String(ROUNDS),
  ];
  const agent = await world.agent(name, words);
  await agent.client.call('notifier.enable', { body: { interval_seconds: 2 } });
  return agent;
}

/** Every message of a box, oldest first. */
async function bodies({ client }: WorldAgent, box: string): Promise<string[]> {
  const { messages } = await client.call('mail.list', { body: { box, include_body: true } });
  return messages.map(({ body_text }) => (body_text ?? '').split('\n')[0]!).toReversed();
}

describe('two agents on two hosts', { timeout: 300_000 }, () => {
  it('two agents on two hosts write to each other through the server, which is killed and restarted in the middle', async () => {
    const [ana, ben] = [await agentOn(host(), 'ana'), await agentOn(host(), 'ben')];
    const status = await ana.client.call('mail.status', {});
    expect(status).toMatchObject({ transport: 'fleet', address: 'ana@default.fleet', location: server.url });
    await ana.client.call('mail.send', {
      body: { to: ['ben@default.fleet'], subject: 'a round', body_content: 'begin' },
    });
    await expect.poll(() => bodies(ana, 'archive'), WAIT).toContain('round 1');
    await server.kill('SIGKILL');
    // Both continue to work, and say what holds their mail back.
    await expect
      .poll(() => ana.client.call('mail.list', { body: {} }).then(() => '', String), WAIT)
      .toMatch(/fleet server/);
    await server.start();
    const rounds = Array.from({ length: ROUNDS }, (_, n) => `round ${n + 1}`);
    const sentBy = (from: number) => rounds.filter((_, n) => n % 2 === from);
    await expect.poll(() => bodies(ana, 'archive'), WAIT).toEqual(sentBy(0));
    await expect.poll(() => bodies(ben, 'archive'), WAIT).toEqual(['begin', ...sentBy(1)]);
    // Nothing is left, lost or doubled, on either side.
    expect(await bodies(ana, 'inbox')).toEqual([]);
    expect(await bodies(ben, 'inbox')).toEqual([]);
    expect(await bodies(ana, 'sent')).toEqual(['begin', ...sentBy(1)]);
    expect(await bodies(ben, 'sent')).toEqual(sentBy(0));
  });

  it('the gateway of an agent with a linked mailbox carries mail both ways, also after the server was away', async () => {
    const home = host({});
    const ana = await agentOn(home, 'ana');
    const ben = await agentOn(host(), 'ben');
    const linked = await home.json('mailbox', 'link', 'add', '--agent-name', 'ana');
    expect(linked.link).toMatchObject({
      address: 'ana@houmao.localhost',
      fleet_address: 'ana@default.fleet',
    });
    const rounds = Array.from({ length: ROUNDS }, (_, n) => `round ${n + 1}`);
    const sentBy = (from: number) => rounds.filter((_, n) => n % 2 === from);
    await server.kill('SIGKILL');
    const words = ['--to', 'ben@default.fleet', '--subject', 'a round', '--body-content', 'begin'];
    await home.json('agents', 'mail', 'send', '--agent-name', 'ana', ...words);
    const { messages } = await home.json('agents', 'mail', 'outbox', 'list', '--agent-name', 'ana');
    expect(messages).toMatchObject([{ subject: 'a round', state: 'waiting', to: ['ben@default.fleet'] }]);
    expect((await home.rouse(['mailbox', 'link', 'remove', '--agent-name', 'ana'])).code).toBe(4);
    await server.start();
    await expect.poll(() => bodies(ben, 'archive'), WAIT).toEqual(['begin', ...sentBy(1)]);
    await expect.poll(() => bodies(ana, 'archive'), WAIT).toEqual(sentBy(0));
    expect(await bodies(ana, 'sent')).toEqual(['begin', ...sentBy(1)]);
    expect(await bodies(ben, 'sent')).toEqual(sentBy(0));
    const { links } = await home.json('mailbox', 'link', 'list');
    expect(links).toMatchObject([{ address: 'ana@houmao.localhost', waiting_count: 0, refused_count: 0 }]);
    await home.json('mailbox', 'link', 'remove', '--agent-name', 'ana');
  });
});
