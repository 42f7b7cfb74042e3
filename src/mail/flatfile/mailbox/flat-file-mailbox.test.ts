import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeMailbox } from '../../contract/mailbox.contract.ts';
import { relay } from '../relay/relay.ts';
import { FlatFileMailbox } from './flat-file-mailbox.ts';

const probe = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-flatfile-'));
const { capabilities } = new FlatFileMailbox({ directory: probe, address: 'a@x' });
fs.rmSync(probe, { recursive: true });

describeMailbox({
  name: 'flat file',
  capabilities,
  async begin() {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-flatfile-'));
    const names = ['alice', 'bob', 'carol'] as const;
    const peers = new Map(names.map((name) => [`${name}@houmao.localhost`, path.join(root, name)]));
    const open = (name: string): FlatFileMailbox =>
      new FlatFileMailbox({
        directory: path.join(root, name),
        address: `${name}@houmao.localhost`,
        principal_id: name,
        peers,
      });
    const [alice, bob, carol] = [open('alice'), open('bob'), open('carol')];
    return {
      alice,
      bob,
      carol,
      settle: async () => {},
      anotherBob: async () => open('bob'),
      async end() {
        await Promise.all([alice.close(), bob.close(), carol.close()]);
        fs.rmSync(root, { recursive: true, force: true });
      },
    };
  },
});

describe('a flat-file mailbox', () => {
  let root: string;
  const open = (name: string, peers?: ReadonlyMap<string, string>): FlatFileMailbox =>
    new FlatFileMailbox({ directory: path.join(root, name), address: `totebox@${name}`, peers });
  const outbox = (name: string): string => path.join(root, name, '.agent', 'outbox.md');

  beforeEach(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-flatfile-'));
  });
  afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

  it('a flat-file mailbox without peers keeps mail in the outbox for a relay, which keeps its id', async () => {
    const [ana, ben] = [open('ana'), open('ben')];
    const { message } = await ana.send({ to: ['totebox@ben'], subject: 'hi', body_content: 'x' });
    expect((await ben.list()).messages).toEqual([]);
    await relay(['ana', 'ben'].map((name) => ({ directory: path.join(root, name) })));
    expect((await ben.list()).messages).toMatchObject([{ message_ref: message.message_ref, unread: true }]);
  });

  it('with peers, a send leaves alone what others wait to relay, and a peer that is not there keeps its mail', async () => {
    const peers = new Map([
      ['totebox@ben', path.join(root, 'ben')],
      ['totebox@gone', path.join(root, 'gone')],
    ]);
    const ana = open('ana', peers);
    const ben = open('ben', peers);
    fs.writeFileSync(
      outbox('ana'),
      '---\nfrom: a\nto: elsewhere\nre: c\nstatus: pending\nmsg-id: old\n---\n\nx\n',
    );
    await ana.send({ to: ['totebox@gone'], subject: 'later', body_content: 'x' });
    await ana.send({ to: ['totebox@ben'], subject: 'now', body_content: 'x' });
    expect((await ben.list()).messages).toMatchObject([{ subject: 'now' }]);
    const text = fs.readFileSync(outbox('ana'), 'utf8');
    expect(text.match(/^status: .*$/gm)).toEqual([
      'status: dispatched',
      'status: pending',
      'status: pending',
    ]);
    expect(text).toContain('to: elsewhere\nre: c\nstatus: pending\nmsg-id: old\n---');
  });

  it('a flat-file mailbox shows a message without an id, finds it by its name, and maps its status', async () => {
    const ben = open('ben');
    const block = (status: string): string =>
      `---\nfrom: a\nto: b\nre: ${status}\ncreated: 2026-01-01\nstatus: ${status}\n---\n\n${status}\n\n`;
    const statuses = ['pending', 'in-progress', 'operator-pending', 'actioned', 'stale'];
    fs.writeFileSync(path.join(root, 'ben', '.agent', 'inbox.md'), statuses.map(block).join(''));
    const { messages } = await ben.list();
    expect(messages.map(({ subject, read, answered }) => [subject, read, answered])).toEqual([
      ['pending', false, false],
      ['in-progress', true, false],
      ['operator-pending', true, false],
      ['actioned', true, true],
      ['stale', true, false],
    ]);
    const [first] = messages;
    expect(first!.message_ref).toMatch(/^flatfile:~[0-9a-f]{16}$/);
    await ben.archive([first!.message_ref]);
    expect((await ben.list({ box: 'archive' })).messages).toMatchObject([{ subject: 'pending', read: true }]);
  });

  it('a flat-file mailbox shows a block without status or date as open mail of an unknown date', async () => {
    const ben = open('ben');
    const block = (re: string, status: string): string =>
      `---\nfrom: a\nto: b\nre: ${re}\n${status}---\n\nx\n\n`;
    const inbox = path.join(root, 'ben', '.agent', 'inbox.md');
    fs.writeFileSync(
      inbox,
      block('none', '') +
        block('empty', 'status:\n') +
        block('case', 'status: Pending\n') +
        block('done', 'status: ACTIONED\n'),
    );
    const page = await ben.list();
    expect(page.messages.map(({ subject, unread, answered }) => [subject, unread, answered])).toEqual([
      ['none', true, false],
      ['empty', true, false],
      ['case', true, false],
      ['done', false, true],
    ]);
    expect(page.messages[0]!.created_at_utc).toBe('');
    expect((await ben.list({ read_state: 'unread' })).message_count).toBe(3);
    expect(await ben.status()).toMatchObject({ open_count: page.open_count, unread_count: 3 });
    await ben.read(page.messages[0]!.message_ref);
    expect(fs.readFileSync(inbox, 'utf8')).toContain('re: none\nstatus: in-progress\n---');
  });

  it('a flat-file mailbox refuses what the format cannot express as unsupported, and changes nothing', async () => {
    const ben = open('ben');
    await ben.post({ subject: 'note', body_content: 'x' });
    const { message_ref: ref } = (await ben.list()).messages[0]!;
    const before = await ben.version();
    const draft = { to: ['totebox@ana'], subject: 's', body_content: 'x' };
    for (const attempt of [
      () => ben.send({ ...draft, cc: ['totebox@cho'] }),
      () => ben.send({ ...draft, attachments: [{ path: '/etc/hosts' }] }),
      () => ben.mark({ message_refs: [ref], answered: true, read: false }),
      () => ben.move([ref], 'later'),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'unsupported' });
    }
    expect(await ben.version()).toBe(before);
    await ben.archive([ref]);
    await expect(ben.mark({ message_refs: [ref], archived: false })).rejects.toMatchObject({
      code: 'unsupported',
    });
    await expect(ben.move([ref], 'inbox')).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('a flat-file mailbox reports damage in its status and still shows the rest', async () => {
    const ben = open('ben');
    await ben.post({ subject: 'note', body_content: 'x' });
    fs.appendFileSync(path.join(root, 'ben', '.agent', 'inbox.md'), '---\nfrom: a\nto: b\nre: torn\n');
    expect(await ben.status()).toMatchObject({
      open_count: 1,
      set_aside_count: 1,
      warnings: [expect.stringContaining('fsck')],
    });
  });
});
