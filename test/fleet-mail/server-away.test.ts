import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ANY_FILE } from '../../src/mail/index.ts';
import type { Mailbox } from '../../src/mail/port.ts';
import { MailSessions } from './mail-world.ts';
import { ServerProcess } from './server-process.ts';

/** A server in its own process, which goes away. */
let server: ServerProcess;
let sessions: MailSessions;
let ana: Mailbox;
let ben: Mailbox;
let outboxPath: string;
beforeEach(async () => {
  server = new ServerProcess();
  await server.start();
  sessions = new MailSessions({
    url: server.url,
    agent: async (name) => {
      const body = { agent_id: name, name, session_id: `session-of-${name}` };
      const { workspace_id, auth_token: token } = await server.admin.register(body);
      return { agentId: name, workspaceId: workspace_id, token, client: server.admin };
    },
  });
  const binding = await sessions.bind('ana');
  outboxPath = path.join(path.dirname(String(binding['fleet_directory'])), 'mail', 'outbox');
  ana = await sessions.open(binding);
  ben = await sessions.open(await sessions.bind('ben'));
}, 180_000);
afterEach(async () => {
  await sessions.end();
  await server.end();
});

const mail = (subject: string, more: object = {}) => ({
  to: ['ben@default.fleet'],
  subject,
  body_content: `about ${subject}`,
  ...more,
});
const subjects = async (): Promise<string[]> => (await ben.list()).messages.map(({ subject }) => subject);

describe('while the server is away', { timeout: 300_000 }, () => {
  it('while the server is away, send says so and changes nothing; with hold the mail waits, and is sent once, in order, with its files', async () => {
    await server.kill();
    await expect(ana.send(mail('lost'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(await ana.outbox!.list()).toEqual([]);
    const note = path.join(sessions.directory, 'note.txt');
    fs.writeFileSync(note, 'kept');
    const held = await ana.send(mail('first', { hold: true, attachments: [{ path: note }] }), ANY_FILE);
    fs.rmSync(note);
    expect(held).toMatchObject({ held: true, duplicate: false, message: { box: 'outbox' } });
    await ana.send(mail('second', { hold: true }));
    await ana.send({ ...mail('nobody', { hold: true }), to: ['nobody@default.fleet'] });
    const files = fs.readdirSync(outboxPath).filter((name) => name.endsWith('.json'));
    expect(files).toHaveLength(3);
    for (const name of files) expect(fs.statSync(path.join(outboxPath, name)).mode & 0o777).toBe(0o600);

    await server.start();
    await ana.send(mail('third'));
    await ana.outbox!.flush();
    expect(await subjects()).toEqual(['third', 'second', 'first']);
    const [first] = (await ben.list()).messages.toReversed();
    expect(first!.message_ref).toBe(held.message.message_ref);
    const [attachment] = (await ben.read(first!.message_ref)).attachments;
    expect(fs.readFileSync(attachment!.locator!, 'utf8')).toBe('kept');
    const left = await ana.outbox!.list();
    expect(left).toMatchObject([
      { subject: 'nobody', state: 'refused', reason: expect.stringContaining('nobody@') },
    ]);
    expect((await ana.status()).warnings).toEqual([expect.stringContaining('refused by the server')]);
    await ana.outbox!.cancel(left[0]!.message_id);
    expect(await ana.outbox!.list()).toEqual([]);
  });

  it('a message that the server took before it died is not sent again, and not taken back', async () => {
    await server.kill();
    const { message } = await ana.send(mail('taken', { hold: true }));
    const id = message.message_ref.slice('fleet:'.length);
    const file = path.join(outboxPath, `${id}.json`);
    const stored = fs.readFileSync(file, 'utf8');
    await server.start();
    await ana.outbox!.flush();
    // The state after the process was killed when the server had already taken the message.
    fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(stored), tried: true }), { mode: 0o600 });
    await server.kill();
    await expect(ana.outbox!.cancel(id)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('not known'),
    });
    await server.start();
    await expect(ana.outbox!.cancel(id)).rejects.toMatchObject({
      message: expect.stringContaining('was sent'),
    });
    fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(stored), tried: true }), { mode: 0o600 });
    await ana.outbox!.flush();
    expect(await subjects()).toEqual(['taken']);
    expect(await ana.outbox!.list()).toEqual([]);
  });

  it('a server that is killed inside the transaction has nothing of it, and gets it with the next try', async () => {
    await server.kill();
    await server.start('fleet.mail-stored');
    const sent = await ana.send(mail('cut off', { hold: true }));
    expect(sent.held).toBe(true);
    await server.died();
    await server.start();
    expect(await subjects()).toEqual([]);
    await ana.outbox!.flush();
    expect(await subjects()).toEqual(['cut off']);
  });
});
