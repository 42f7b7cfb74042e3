import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTokenFile } from '../../src/client/index.ts';
import { ServerProcess } from '../fleet-mail/server-process.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';

/** Two hosts with their own homes and tmux servers: ana runs on one, the person types on the other. */
const server = new ServerProcess();
const far = new TestWorld();
const near = new TestWorld();
let ana: WorldAgent;
let person: string;
beforeAll(async () => {
  await server.start();
  const tokenFile = path.join(far.directory, 'token');
  fs.writeFileSync(tokenFile, readTokenFile(server.adminToken), { mode: 0o600 });
  far.fleet = { url: server.url, tokenFile };
  ana = await far.agent('ana', ['--turn', '50ms']);
  person = path.join(near.directory, 'person.token');
  near.fleet = { url: server.url, tokenFile };
  const words = ['tokens', 'create', '--kind', 'user', '--subject', 'ops', '--out-file', person];
  await near.json(...words);
  near.fleet = { url: server.url, tokenFile: person };
}, 180_000);
afterAll(async () => {
  await near.close();
  await far.close();
  await server.end();
});

const WAIT = { timeout: 60_000, interval: 100 };
const json = (...args: string[]) => near.json(...args);
const received = () => expect.poll(() => ana.received(), WAIT);

describe('a command for an agent on another host', { timeout: 240_000 }, () => {
  it('a command for an agent on another host prompts it, at once and queued', async () => {
    await expect.poll(() => ana.client.tuiState().then(({ submit_ready }) => submit_ready), WAIT).toBe(true);
    expect(await json('agents', 'prompt', 'ana', '--prompt', 'from another host')).toMatchObject({
      sent: true,
    });
    await received().toContain('from another host');
    const words = ['--agent-name', 'ana', '--prompt', 'queued'];
    await json('agents', 'gateway', 'requests', 'submit', ...words);
    await received().toContain('queued');
  });

  it('a command for an agent on another host interrupts its turn', async () => {
    // The turn of the prompt before has ended.
    await expect.poll(() => ana.client.tuiState().then(({ submit_ready }) => submit_ready), WAIT).toBe(true);
    const { mark } = ana.control;
    await ana.control.send('busy', { ms: 600_000 });
    await expect.poll(() => ana.client.tuiState().then(({ turn }) => turn.phase), WAIT).toBe('active');
    await json('agents', 'interrupt', 'ana');
    await ana.control.event('interrupted', undefined, mark);
  });

  it('a command for an agent on another host sends and reads its mail, and explains why it was woken or not', async () => {
    await json('agents', 'mail', 'post', 'ana', '--subject', 'look', '--body-content', 'please');
    const { messages } = await json('agents', 'mail', 'list', 'ana');
    expect(messages).toMatchObject([{ subject: 'look' }]);
    const shown = await json('agents', 'mail', 'read', 'ana', '--message-ref', messages[0].message_ref);
    expect(JSON.stringify(shown)).toContain('please');
    const { code, stdout } = await near.rouse(['why', 'ana']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('ana')]);
  });

  it('a command for an agent on another host makes, shows and removes its reminders', async () => {
    const words = ['--title', 'later', '--mode', 'one_off', '--prompt', 'remember', '--ranking', '1'];
    await json('agents', 'gateway', 'reminders', 'create', 'ana', ...words, '--start-after-seconds', '3600');
    const { reminders } = await json('agents', 'gateway', 'reminders', 'list', 'ana');
    expect(reminders).toMatchObject([{ title: 'later' }]);
    const which = ['--reminder-id', reminders[0].reminder_id];
    await json('agents', 'gateway', 'reminders', 'remove', 'ana', ...which);
    expect((await json('agents', 'gateway', 'reminders', 'list', 'ana')).reminders).toEqual([]);
  });

  it('a command for an agent on another host is refused for raw keys, an unknown agent and a token of another org, with a clear error', async () => {
    const keys = await near.rouse(['agents', 'gateway', 'send-keys', 'ana', '--sequence', 'x']);
    expect([keys.code === 0, keys.stderr]).toEqual([false, expect.stringMatching(/host/)]);
    const unknown = await near.rouse(['agents', 'prompt', 'missing', '--prompt', 'x']);
    const nowhere = `there is no agent with name "missing" on this host, nor in the fleet of ${server.url}`;
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining(nowhere)]);
    const stranger = path.join(near.directory, 'stranger.token');
    await server.admin.call('admin.orgs.create', { body: { name: 'elsewhere' } });
    near.fleet = { url: server.url, tokenFile: path.join(far.directory, 'token') };
    await json(
      'tokens',
      'create',
      '--kind',
      'user',
      '--subject',
      'x',
      '--org',
      'elsewhere',
      '--out-file',
      stranger,
    );
    near.fleet = { url: server.url, tokenFile: stranger };
    const other = await near.rouse(['agents', 'prompt', 'ana', '--prompt', 'not yours']);
    near.fleet = { url: server.url, tokenFile: person };
    expect(other.code).toBe(3);
    expect(ana.received()).not.toContain('not yours');
  });
});
