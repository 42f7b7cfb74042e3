import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FlatFile } from '../flat-file.ts';
import { writeBlock } from '../format/block.ts';

let inbox: string;
let box: FlatFile;

beforeEach(() => {
  const agent = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-flatfile-')), '.agent');
  fs.mkdirSync(agent);
  inbox = path.join(agent, 'inbox.md');
  box = new FlatFile(inbox);
});
afterEach(() => fs.rmSync(path.dirname(path.dirname(inbox)), { recursive: true, force: true }));

const block = (id: string, body = 'body', more: Record<string, string> = {}): string =>
  writeBlock({
    fields: new Map(
      Object.entries({
        from: 'a',
        to: 'b',
        re: 'c',
        created: '2026-01-01',
        status: 'pending',
        'msg-id': id,
        ...more,
      }),
    ),
    body,
  });
const HEADER = '---\nmailbox: inbox\nschema: foundry-mailbox-v1\n---\n\n# Inbox\n\n';
const OPEN =
  '---\nfrom: a\nto: b\nre: torn\ncreated: 2026-01-01\nstatus: pending\nmsg-id: torn\n\ntext of torn\n\n';
const TWICE =
  '---\nfrom: a\nto: b\nre: c\ncreated: 2026-01-01\nstatus: pending\nmsg-id: twice\nstatus: actioned\n---\n\nx\n\n';

const kinds = (): string[] => box.fsck().issues.map(({ kind }) => kind);

describe('fsck', () => {
  it('fsck finds nothing in a sound mailbox, nor in one that does not exist', () => {
    expect(kinds()).toEqual([]);
    fs.writeFileSync(inbox, HEADER + block('a', '---\nfrom: x\nto: y\nre: z\n---\n') + block('b'));
    expect(box.fsck()).toMatchObject({ message_count: 2, issues: [] });
  });

  it('fsck counts what it repaired, even if a repair reveals another fault', async () => {
    fs.writeFileSync(
      inbox,
      HEADER + OPEN.replace('created: 2026-01-01\n', '').replace('status: pending\n', '') + block('b'),
    );
    const report = await box.repair();
    expect(report).toMatchObject({
      repaired: 2,
      message_count: 2,
      issues: [{ kind: 'missing_date', warning: true }],
    });
    expect(box.list().entries.map(({ status }) => status)).toEqual(['pending', 'pending']);
    expect(report.backup).not.toBeNull();
  });

  it.each<[string, string, string, number, number]>([
    ['an envelope that is never closed', 'unterminated', HEADER + block('a') + OPEN + block('b'), 19, 3],
    ['a field that occurs twice', 'duplicate_field', HEADER + TWICE + block('b'), 8, 2],
    ['a second copy', 'duplicate_message', HEADER + block('a') + block('b') + block('a'), 30, 2],
    ['a file header below messages', 'misplaced_header', block('a') + HEADER + block('b'), 12, 2],
  ])('fsck finds %s and repairs it without losing a word', async (_, kind, text, line, count) => {
    fs.writeFileSync(inbox, text);
    expect(box.fsck().issues).toMatchObject([{ kind, line, repairable: true }]);
    const report = await box.repair();
    expect(report).toMatchObject({ issues: [], message_count: count, repaired: 1 });
    expect(fs.readFileSync(report.backup!, 'utf8')).toBe(text);
    const after = fs.readFileSync(inbox, 'utf8');
    for (const word of new Set(text.match(/[\w-]+/g)))
      expect(after).toContain(word === 'pending' ? 'status' : word);
    expect(fs.readFileSync(inbox, 'utf8').startsWith('---\nmailbox: inbox')).toBe(true);
    const again = fs.readFileSync(inbox);
    expect(await box.repair()).toMatchObject({ repaired: 0, backup: null });
    expect(fs.readFileSync(inbox).equals(again)).toBe(true);
  });

  it('fsck closes a torn envelope so that its message is found', async () => {
    fs.writeFileSync(inbox, HEADER + block('a') + OPEN + block('b'));
    await box.repair();
    expect(box.list().entries.map(({ ref }) => ref)).toEqual(['a', 'torn', 'b']);
    expect(box.show('torn').body.trim()).toBe('text of torn');
    expect(box.show('a').body).toBe('body');
  });

  it('fsck keeps the effective status', async () => {
    fs.writeFileSync(inbox, TWICE);
    await box.repair();
    expect(fs.readFileSync(inbox, 'utf8')).toBe(
      TWICE.replace('status: pending\n', 'status: actioned\n').replace(
        'twice\nstatus: actioned\n',
        'twice\n',
      ),
    );
  });

  it('fsck removes what is already archived', async () => {
    fs.writeFileSync(inbox, HEADER + block('a') + block('b'));
    fs.writeFileSync(box.paths.archive, block('a', 'body', { status: 'actioned' }));
    expect(kinds()).toEqual(['in_both']);
    await box.repair();
    expect(box.list().entries.map(({ ref }) => ref)).toEqual(['b']);
  });

  it('fsck reports and leaves alone what only a person can decide', async () => {
    const text =
      block('a', 'one') +
      block('a', 'two') +
      block('s', 'x', { status: 'weird' }) +
      '---\nfrom: a\nto: b\nstatus: Stale\n---\n\nx\n\n' +
      HEADER +
      HEADER;
    fs.writeFileSync(inbox, HEADER + text);
    const before = fs.readFileSync(inbox);
    const report = await box.repair();
    expect(report.issues.map(({ kind, repairable }) => [kind, repairable])).toEqual([
      ['id_conflict', false],
      ['unknown_status', false],
      ['missing_field', false],
      ['missing_date', false],
      ['misplaced_header', false],
      ['misplaced_header', false],
    ]);
    expect(fs.readFileSync(inbox).equals(before)).toBe(true);
  });

  it('fsck reports bytes that are not UTF-8 and keeps them through every edit', async () => {
    const odd = Buffer.concat([
      Buffer.from(
        '---\nfrom: \xff\xfe\nto: b\nre: c\nstatus: pending\ncreated: 2026-01-01\nmsg-id: m\n---\n\n',
        'latin1',
      ),
      Buffer.from([0xc3, 0x28, 0x0a]),
    ]);
    fs.writeFileSync(inbox, odd);
    expect(kinds()).toEqual(['not_utf8']);
    await box.setStatus(['m'], { to: 'stale' });
    const expected = Buffer.from(odd.toString('latin1').replace('pending', 'stale'), 'latin1');
    expect(fs.readFileSync(inbox).equals(expected)).toBe(true);
  });

  it('fsck repairs several faults of one file at once', async () => {
    fs.writeFileSync(inbox, block('a') + TWICE + HEADER + OPEN + block('a') + TWICE);
    const report = await box.repair();
    expect(report.issues).toEqual([]);
    expect(box.list().entries.map(({ ref }) => ref)).toEqual(['a', 'twice', 'torn']);
  });
});
