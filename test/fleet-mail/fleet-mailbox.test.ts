import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog, systemClock, unavailable } from '../../src/base/index.ts';
import { fleetMail } from '../../src/client/index.ts';
import { ANY_FILE, openMailbox } from '../../src/mail/index.ts';
import type { Mailbox } from '../../src/mail/port.ts';
import { startFleet, type TestAgent, type TestFleet } from '../support/fleet.ts';
import { sampled } from '../support/sample.ts';
import { MailSessions } from './mail-world.ts';

/** The server's promises beyond the mailbox contract: rights, bytes, ids, wakes. */
const [ON] = sampled(import.meta.filename, ['postgres', 'embedded'] as const, 1);

let fleet: TestFleet;
/** Lines of the server's log. */
const lines: string[] = [];
let sessions: MailSessions;
let ana: Mailbox;
let ben: Mailbox;
const agents = new Map<string, TestAgent>();
beforeAll(async () => {
  const log = createLog({ clock: systemClock, write: (line) => lines.push(line) });
  fleet = await startFleet({ on: ON!, config: { log } });
  const agent: TestFleet['agent'] = async (name, options) => {
    const made = await fleet.agent(name, options);
    agents.set(name, made);
    return made;
  };
  sessions = new MailSessions({ url: fleet.url, agent });
  ana = await sessions.open(await sessions.bind('ana'));
  ben = await sessions.open(await sessions.bind('ben'));
});
afterAll(async () => {
  await sessions.end();
  await fleet.stop();
});

const to = (address: string, more: object = {}) => ({
  to: [address],
  subject: 'hello',
  body_content: 'x',
  ...more,
});
const client = (name: string) => agents.get(name)!.client;
const file = (name: string, bytes: Uint8Array): string => {
  const place = path.join(sessions.directory, name);
  fs.writeFileSync(place, bytes);
  return place;
};

describe('a mailbox on a fleet server', () => {
  it('a mailbox on a fleet server has an address in the domain of the org, and a plain name means an agent of the org', async () => {
    expect([ana.address, ben.address]).toEqual(['ana@default.fleet', 'ben@default.fleet']);
    for (const name of ['ben', 'ben@default.fleet', 'ben@houmao.localhost'])
      expect((await ana.send(to(name))).message.to[0]!.address).toBe('ben@default.fleet');
    await expect(ana.send(to('bem'))).rejects.toMatchObject({
      code: 'not_found',
      hint: expect.stringContaining('ben@default.fleet'),
    });
  });

  it('a mailbox on a fleet server stays with its agent: another one cannot have the address, and the same one gets its mail again', async () => {
    await sessions.register('eve');
    const wanted = { address: 'ben@default.fleet', principal_id: 'HOUMAO-eve' };
    await expect(client('eve').call('mailbox.bind', { body: wanted })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(
      client('eve').call('mailbox.bind', { body: { ...wanted, address: 'eve@elsewhere' } }),
    ).rejects.toMatchObject({ code: 'forbidden' });
    await expect(client('eve').call('mailbox.list', { body: {} })).rejects.toMatchObject({
      facts: { error_code: 'mail_no_binding' },
    });
    const before = (await ben.list()).message_count;
    const again = await sessions.open(await sessions.bind('ben'));
    expect((await again.list()).message_count).toBe(before);
    ben = again;
  });

  it('a mailbox on a fleet server logs once by which id each message can be followed', async () => {
    const { message } = await ana.send(to('ben', { idempotency_key: 'sent-once' }));
    await ana.send(to('ben', { idempotency_key: 'sent-once' }));
    const { message: answer } = await ben.reply({ message_ref: message.message_ref, body_content: 'yes' });
    for (const { message_ref } of [message, answer])
      expect(lines.filter((line) => line.includes(`mail stored trace_id=${message_ref}`))).toHaveLength(1);
  });

  it('a mailbox on a fleet server of another org is not found', async () => {
    const { orgId } = await fleet.tenant('elsewhere');
    const stranger = await sessions.open(await sessions.bind('zoe', { orgId }));
    expect(stranger.address).toBe('zoe@elsewhere.fleet');
    await expect(stranger.send(to('ben@default.fleet'))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a mailbox on a fleet server carries files whole to the readers of the message, and to no one else', async () => {
    const bytes = randomBytes(2.5 * 1024 * 1024);
    const { message } = await ana.send(
      to('ben', {
        subject: 'with a file',
        attachments: [{ path: file('big.bin', bytes), label: 'the/log' }],
      }),
      ANY_FILE,
    );
    const got = await ben.read(message.message_ref);
    const [attachment] = got.attachments;
    expect(attachment).toMatchObject({ kind: 'transport_owned', size_bytes: bytes.length, label: 'the/log' });
    const copy = fs.readFileSync(attachment!.locator!);
    expect(createHash('sha256').update(copy).digest('hex')).toBe(attachment!.sha256);
    expect(fs.statSync(attachment!.locator!).mode & 0o777).toBe(0o600);
    const id = message.message_ref.slice('fleet:'.length);
    const asked = { message_id: id, attachment_id: attachment!.attachment_id, part: 0 };
    await sessions.bind('carl');
    await expect(client('carl').call('mailbox.attachments.get', asked)).rejects.toMatchObject({
      code: 'not_found',
    });
    const steal = { message_id: `${id.slice(0, -4)}0000`, to: ['carl'], subject: 's', body_content: 'b' };
    const { kind: _, locator: __, ...own } = attachment!;
    await expect(
      client('carl').call('mailbox.send', { body: { ...steal, attachments: [own as never] } }),
    ).rejects.toMatchObject({ facts: { cause: 'attachment_missing' } });
  });

  it('a mailbox on a fleet server refuses more than a message carries before anything is sent', async () => {
    const big = file('huge.bin', new Uint8Array(17 * 1024 * 1024));
    await expect(ana.send(to('ben', { attachments: [{ path: big }] }), ANY_FILE)).rejects.toMatchObject({
      code: 'invalid',
      hint: expect.stringContaining('ROUSE_MAX_ATTACHMENT_BYTES'),
    });
  });

  it('a mailbox on a fleet server takes a message whose answer was lost as the one it has', async () => {
    let lost = 0;
    const lossy = (directory: string) => {
      const server = fleetMail(directory);
      return {
        url: server.url,
        async ask<T>(what: string, input: object): Promise<T> {
          const answer = await server.ask<T>(what, input);
          if (what !== 'send' || lost++ > 1) return answer;
          throw unavailable('the connection broke', { facts: { errno: 'ECONNRESET' } });
        },
      };
    };
    const binding = await sessions.bind('ana');
    // Registered again: the mailbox opened before has an expired token.
    ana = await sessions.open(binding);
    const { mailbox } = await openMailbox(binding, { clock: systemClock, connectFleet: lossy });
    const sent = await mailbox.send(to('ben', { subject: 'once' }));
    expect([lost, sent.duplicate]).toEqual([3, true]);
    const { messages } = await ben.search({ text: 'once' });
    expect(messages).toHaveLength(1);
  });

  it('a mailbox on a fleet server takes mail of many to the same people at the same time, each message once and for all of them', async () => {
    const before = (await ben.count()).message_count;
    const many = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? ana : ben));
    await Promise.all(
      many.map((sender, n) => sender.send({ to: ['ben', 'ana'], subject: `rush ${n}`, body_content: 'x' })),
    );
    expect((await ben.count()).message_count).toBe(before + many.length);
    const { messages } = await ana.search({ text: 'rush', limit: 100 });
    expect(new Set(messages.map(({ subject }) => subject)).size).toBe(many.length);
  });

  it('a mailbox on a fleet server announces mail at once by the held heartbeat', async () => {
    const beat = (mail_version: string, wait_seconds: number) =>
      client('ben').heartbeat(
        { session_id: 'session-of-ben', active_tasks: 0, accepting: false, mail_version, wait_seconds },
        { timeoutMs: 40_000 },
      );
    const { mail_version: known = '' } = await beat('', 0);
    expect(known).not.toBe('');
    const held = beat(known, 25);
    await ana.send(to('ben', { subject: 'wake' }));
    const { mail_version: now } = await held;
    expect(now).not.toBe(known);
  });

  it('a mailbox on a fleet server of the operator is that of the people of the org: they write to agents, and get their answers', async () => {
    const { user } = fleet;
    const note = {
      message_id: `msg-20260101T000000Z-${'1'.repeat(32)}`,
      ...to('ben', { subject: 'from a person' }),
    };
    const { message } = await user.call('mailbox.send', { body: note });
    await ben.reply({ message_ref: message.message_ref, body_content: 'answered' });
    const { messages } = await user.call('mailbox.list', { body: { include_body: true } });
    expect(messages.map(({ body_text }) => body_text)).toContain('answered');
    expect(await ben.trail!(message.message_ref, 5)).toMatchObject([{ by: 'person' }]);
  });
});
