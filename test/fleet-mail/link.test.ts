import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newMessageId } from '../../src/domain/index.ts';
import { ANY_FILE, listLinks, openMailStore, removeMailLink } from '../../src/mail/index.ts';
import type { Mailbox } from '../../src/mail/port.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';
import { sampled } from '../support/sample.ts';
import { LinkedHost, surroundings } from './link-world.ts';
import { MailSessions } from './mail-world.ts';

const [ON] = sampled(import.meta.filename, ['postgres', 'embedded'] as const, 1);

let fleet: TestFleet;
let sessions: MailSessions;
let host: LinkedHost;
let ana: Mailbox;
let ben: Mailbox;
let world = 0;
let tenant: Awaited<ReturnType<TestFleet['tenant']>>;
beforeAll(async () => {
  fleet = await startFleet({ on: ON! });
});
afterAll(() => fleet.stop());
beforeEach(async () => {
  tenant = await fleet.tenant(`link-${++world}`);
  const { orgId } = tenant;
  const agent: TestFleet['agent'] = (name) => fleet.agent(name, { orgId });
  sessions = new MailSessions({ url: fleet.url, agent });
  host = new LinkedHost(sessions);
  ana = await host.open(await host.link('ana'));
  ben = await sessions.open(await sessions.bind('ben'));
});
afterEach(async () => {
  await host.end();
  await sessions.end();
});

const mail = (subject: string, more: object = {}) => ({
  to: [ben.address],
  subject,
  body_content: `about ${subject}`,
  ...more,
});
const carry = (mailbox: Mailbox = ana) => mailbox.outbox!.flush();
const inbox = async (mailbox: Mailbox) => (await mailbox.list({ include_body: true })).messages;
const fleetDomain = () => ben.address.split('@')[1];

describe('a mailbox of a host that is linked with a fleet', () => {
  it('a linked mailbox writes to addresses of the fleet, and gets the answer in the same thread', async () => {
    const { message } = await ana.send(mail('a question'));
    await carry();
    const [asked] = await inbox(ben);
    expect(asked).toMatchObject({
      subject: 'a question',
      body_text: 'about a question',
      sender: { address: `ana@${fleetDomain()}` },
    });
    await ben.reply({ message_ref: asked!.message_ref, body_content: 'the answer' });
    await carry();
    const [answer] = await inbox(ana);
    expect(answer).toMatchObject({
      subject: 'Re: a question',
      body_text: 'the answer',
      in_reply_to_ref: message.message_ref,
      thread_ref: message.thread_ref,
      sender: { address: ben.address },
    });
    await ana.reply({ message_ref: answer!.message_ref, body_content: 'thanks' });
    await carry();
    const [thanks] = await inbox(ben);
    expect(thanks).toMatchObject({ body_text: 'thanks', thread_ref: asked!.thread_ref });
    expect(await inbox(ben)).toHaveLength(2);
    expect(await inbox(ana)).toHaveLength(1);
    expect(await ana.outbox!.list()).toEqual([]);
  });

  it('a linked mailbox gets mail that an agent of the fleet begins, with its files, and carries files there', async () => {
    const note = path.join(sessions.directory, 'note.txt');
    fs.writeFileSync(note, 'kept');
    await ben.send(
      { to: ['ana'], subject: 'from another host', body_content: 'x', attachments: [{ path: note }] },
      ANY_FILE,
    );
    await carry();
    const [got] = await inbox(ana);
    expect(got).toMatchObject({ subject: 'from another host', attachments: [{ kind: 'managed_copy' }] });
    expect(fs.readFileSync(got!.attachments[0]!.locator!, 'utf8')).toBe('kept');
    await ana.send(mail('back', { attachments: [{ path: note, copy: true }] }), ANY_FILE);
    fs.rmSync(note);
    await carry();
    const [back] = await inbox(ben);
    const [file] = (await ben.read(back!.message_ref)).attachments;
    expect(fs.readFileSync(file!.locator!, 'utf8')).toBe('kept');
  });

  it('a linked mailbox writes to several at once, here and there: each gets it once', async () => {
    const carl = await sessions.open(await sessions.bind('carl'));
    const dora = await host.open(await host.agent('dora'));
    await ana.send({ ...mail('to all'), to: [ben.address, dora.address], cc: [carl.address] });
    for (let pass = 0; pass < 3; pass++) await carry();
    for (const mailbox of [ben, carl, dora]) expect(await inbox(mailbox)).toHaveLength(1);
  });

  it('a linked mailbox gets a refusal of the server as an answer; the message stays in the outbox until it is taken back', async () => {
    const { message } = await ana.send({ ...mail('lost'), to: [`nobody@${fleetDomain()}`] });
    await carry();
    await carry();
    expect(await inbox(ana)).toMatchObject([
      { in_reply_to_ref: message.message_ref, body_text: expect.stringContaining('was not delivered') },
    ]);
    const [held] = await ana.outbox!.list();
    expect(held).toMatchObject({ subject: 'lost', state: 'refused' });
    await ana.outbox!.cancel(held!.message_id);
    await carry();
    expect(await ana.outbox!.list()).toEqual([]);
    expect(await inbox(ana)).toHaveLength(1);
  });

  it('a linked mailbox does not send what was taken back, or whose file has changed', async () => {
    const note = path.join(sessions.directory, 'note.txt');
    fs.writeFileSync(note, 'before');
    await ana.send(mail('changed', { attachments: [{ path: note }] }), ANY_FILE);
    fs.writeFileSync(note, 'after');
    const { message } = await ana.send(mail('withdrawn'));
    await ana.outbox!.cancel(message.message_ref.slice('filesystem:'.length));
    await carry();
    expect(await inbox(ben)).toEqual([]);
    expect(await ana.outbox!.list()).toMatchObject([
      { subject: 'changed', state: 'refused', reason: expect.stringContaining('was changed') },
    ]);
  });

  it('a linked mailbox gets mail of the people of the org, who get its answers', async () => {
    const { user } = tenant;
    const body = {
      message_id: newMessageId(new Date()),
      to: ['ana'],
      subject: 'please',
      body_content: 'do it',
    };
    await user.call('mailbox.send', { body });
    await carry();
    const [asked] = await inbox(ana);
    expect(asked).toMatchObject({
      subject: 'please',
      sender: { address: `HOUMAO-operator@${fleetDomain()}` },
    });
    await ana.reply({ message_ref: asked!.message_ref, body_content: 'done' });
    await ana.send({ ...mail('and more'), to: [asked!.sender.address] });
    await carry();
    const { messages } = await user.call('mailbox.list', { body: {} });
    expect(messages.map(({ subject }) => subject)).toEqual(['and more', 'Re: please']);
  });

  it('a mailbox that is not linked cannot write to the fleet, whether or not another one is linked', async () => {
    const dora = await host.open(await host.agent('dora'));
    await expect(dora.send(mail('no'))).rejects.toMatchObject({ code: 'not_found' });
    await ana.send(mail('yes'));
    await expect(dora.send(mail('no'))).rejects.toMatchObject({
      code: 'not_found',
      hint: expect.stringContaining('mailbox link add'),
    });
  });

  it('two linked mailboxes of one host write to each other by the addresses of the fleet', async () => {
    const dora = await host.open(await host.link('dora'));
    await ana.send({ ...mail('near'), to: [`dora@${fleetDomain()}`] });
    await carry();
    await carry(dora);
    expect(await inbox(dora)).toMatchObject([
      { subject: 'near', sender: { address: `ana@${fleetDomain()}` } },
    ]);
  });

  it('a link ends when nothing waits; then its addresses lead nowhere, and mail to them is refused', async () => {
    const store = openMailStore({ root: host.root });
    const [link] = listLinks(store.layout);
    await ana.send(mail('first'));
    await expect(removeMailLink(store, link!, surroundings)).rejects.toMatchObject({ code: 'conflict' });
    await carry();
    await removeMailLink(store, link!, surroundings);
    expect(listLinks(store.layout)).toEqual([]);
    await store.close();
    expect(ana.outbox).toBeUndefined();
    await expect(ana.send(mail('later'))).rejects.toMatchObject({ code: 'not_found' });
    await expect(ben.send({ ...mail('later'), to: ['ana'] })).rejects.toMatchObject({ code: 'not_found' });
  });
});
