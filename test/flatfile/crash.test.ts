import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeClock, lockFile } from '../../src/base/index.ts';
import { FlatFile } from '../../src/mail/flatfile/index.ts';
import { sampled } from '../support/sample.ts';
import { type Bench, idsIn, setUp } from './support.ts';
import type { Order } from './worker.ts';

const REWRITE = ['written', 'synced', 'renamed', 'committed'];
const PREPEND = ['locked', ...REWRITE];

describe('kill -9', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await setUp();
  });
  beforeEach(() => bench.fresh());
  afterAll(() => bench.end());

  /** A mailbox with three messages, one of them from an unknown author. */
  async function furnished(name?: string): Promise<string> {
    const mailbox = bench.inbox(name);
    fs.writeFileSync(
      mailbox,
      '---\nmailbox: inbox\nschema: foundry-mailbox-v1\n---\n\n# Inbox\n\n---\nfrom: x\nto: y\nre: old\n---\n\nno id',
    );
    const box = new FlatFile(mailbox);
    for (const id of ['m-1', 'm-2']) {
      const fields = new Map([
        ['from', 'a@x'],
        ['to', 'b@x'],
        ['re', id],
        ['msg-id', id],
      ]);
      await box.prepend({ fields, body: `body of ${id}\n---\nend` });
    }
    await box.idle();
    return mailbox;
  }

  async function dies(order: Order, at: string): Promise<void> {
    const { signal, stderr } = await bench.start(order, { ROUSE_CRASH_AT: at }).done;
    expect({ at, signal, stderr }).toEqual({ at, signal: 'SIGKILL', stderr: '' });
  }

  async function lives(order: Order): Promise<unknown[]> {
    const { code, lines, stderr } = await bench.start(order).done;
    expect(stderr).toBe('');
    expect(code).toBe(0);
    return lines;
  }

  it.each(sampled('prepend', PREPEND, 3))(
    'kill -9 at prepend.%s, then a retry: exactly one copy, nothing else touched',
    async (step) => {
      const mailbox = await furnished();
      const before = fs.readFileSync(mailbox);
      const order: Order = { what: 'prepend', mailbox, ref: 'new-1' };
      await dies(order, `flatfile.prepend.${step}`);
      const committed = ['renamed', 'committed'].includes(step);
      expect(idsIn(mailbox).filter((id) => id === 'new-1')).toHaveLength(committed ? 1 : 0);
      if (!committed) expect(fs.readFileSync(mailbox).equals(before)).toBe(true);
      const lines = await lives(order);
      expect(lines).toMatchObject([{ result: committed ? 'duplicate' : 'prepended' }]);
      expect(idsIn(mailbox).slice(0, 3)).toEqual(['new-1', 'm-2', 'm-1']);
      expect(fs.readFileSync(mailbox, 'utf8').endsWith('---\n\nno id')).toBe(true);
      expect(new FlatFile(mailbox).fsck().issues.filter(({ kind }) => !kind.startsWith('missing_'))).toEqual(
        [],
      );
    },
  );

  it.each(sampled('holder', PREPEND, 2))(
    'kill -9 of a lock holder at prepend.%s: a writer that waited gets a true answer and one copy',
    async (step) => {
      const mailbox = await furnished();
      const clock = new FakeClock();
      const { paths } = new FlatFile(mailbox);
      const lock = await lockFile(paths.lock, { timeoutMs: 5000 });
      const fields = new Map(['from', 'to', 're', 'msg-id'].map((key) => [key, 'waiter-1']));
      const waiter = new FlatFile(mailbox, { clock, step: () => {} }).prepend({ fields, body: 'text' });
      // It found the lock taken, and tries again when its clock advances.
      await vi.waitFor(() => expect(clock.pending).toBe(1));
      lock.release();
      await dies({ what: 'prepend', mailbox, ref: 'holder-1' }, `flatfile.prepend.${step}`);
      await clock.advance(1000);
      expect(await waiter).toMatchObject({ result: 'prepended' });
      await lives({ what: 'prepend', mailbox, ref: 'holder-1' });
      const ids = idsIn(mailbox);
      expect(ids.filter((id) => id === 'waiter-1')).toHaveLength(1);
      expect(ids.filter((id) => id === 'holder-1')).toHaveLength(1);
      expect(ids).toHaveLength(5);
    },
  );

  it.each(sampled('set-status', REWRITE, 2))(
    'kill -9 at set-status.%s: the old status or the new, then the new',
    async (step) => {
      const mailbox = await furnished();
      const order: Order = { what: 'set-status', mailbox, ref: 'm-1', status: 'actioned' };
      await dies(order, `flatfile.set-status.${step}`);
      const committed = step === 'renamed' || step === 'committed';
      expect(new FlatFile(mailbox).show('m-1').fields.get('status')).toBe(committed ? 'actioned' : 'pending');
      await lives(order);
      expect(new FlatFile(mailbox).show('m-1').fields.get('status')).toBe('actioned');
      expect(idsIn(mailbox)).toHaveLength(3);
      expect(
        await lives({ what: 'prepend', mailbox, ref: 'm-2', body: 'other' }).catch(() => 'refused'),
      ).toBe('refused');
    },
  );

  const MOVE = [
    'noted',
    ...REWRITE.map((at) => `archive-${at}`),
    'added',
    ...REWRITE.map((at) => `mailbox-${at}`),
    'removed',
    'done',
  ];
  it.each(sampled('move', MOVE, 4))(
    'kill -9 at archive.%s: never lost, never shown twice, then in the archive once',
    async (step) => {
      const mailbox = await furnished();
      const archive = path.join(path.dirname(mailbox), 'inbox-archive.md');
      const order: Order = { what: 'archive', mailbox, ref: 'm-1' };
      await dies(order, `flatfile.archive.${step}`);
      const seen = [...idsIn(mailbox), ...idsIn(archive)].filter((id) => id === 'm-1');
      expect(seen).toHaveLength(1);
      expect(new FlatFile(mailbox).show('m-1').body).toBe('body of m-1\n---\nend');
      await lives(order);
      expect(idsIn(mailbox)).toEqual(['m-2', expect.stringMatching(/^~/)]);
      expect(idsIn(archive)).toEqual(['m-1']);
      expect(await lives({ what: 'prepend', mailbox, ref: 'm-2-new' })).toMatchObject([
        { result: 'prepended' },
      ]);
      expect(idsIn(mailbox)[0]).toBe('m-2-new');
    },
  );

  it('after kill -9 in the middle of a move, the next writer of any kind finishes it', async () => {
    const mailbox = await furnished();
    await dies({ what: 'archive', mailbox, ref: 'm-1' }, 'flatfile.archive.added');
    expect(fs.readFileSync(mailbox, 'utf8')).toContain('msg-id: m-1');
    await lives({ what: 'prepend', mailbox, ref: 'next' });
    expect(fs.readFileSync(mailbox, 'utf8')).not.toContain('msg-id: m-1\n');
    expect(idsIn(mailbox).slice(0, 2)).toEqual(['next', 'm-2']);
  });

  const RELAY = [
    ...REWRITE.map((at) => `relay.intent.${at}`),
    ...PREPEND.map((at) => `prepend.${at}`),
    'relay.delivered',
    ...REWRITE.map((at) => `relay.mark.${at}`),
  ];
  it.each(sampled('relay', RELAY, 4))(
    'kill -9 at %s during a relay, then again: one copy in the inbox, dispatched in the outbox',
    async (step) => {
      const inbox = bench.inbox('ben');
      const outbox = path.join(path.dirname(bench.inbox('ana')), 'outbox.md');
      const write = (re: string, id: string): string =>
        `---\nfrom: totebox@ana\nto: totebox@ben\nre: ${re}\ncreated: 2026-01-01T00:00:00Z\nstatus: pending\n${id}---\n\n${re}\n\n`;
      fs.writeFileSync(outbox, write('with id', 'msg-id: r-1\n') + write('without', ''));
      const directories = ['ana', 'ben'].map((name) => path.join(bench.directory, name));
      const order: Order = { what: 'relay', mailbox: outbox, directories };
      await dies(order, `flatfile.${step}`);
      await lives(order);
      const delivered = new FlatFile(inbox).list({ includeBody: true }).entries;
      expect(delivered.map(({ body }) => body).sort()).toEqual(['with id', 'without']);
      const sent = new FlatFile(outbox).list().entries;
      expect(sent.map(({ fields }) => fields.get('status'))).toEqual(['dispatched', 'dispatched']);
      expect(sent.map(({ ref }) => ref).sort()).toEqual(delivered.map(({ ref }) => ref).sort());
      expect(await lives(order)).toEqual([[]]);
    },
  );
});
