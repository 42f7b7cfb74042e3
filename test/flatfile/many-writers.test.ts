import { once } from 'node:events';
import * as fs from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FlatFile } from '../../src/mail/flatfile/index.ts';
import { type Bench, FULL, idsIn, setUp } from './support.ts';

const WRITERS = FULL ? 128 : 16;
const EACH = FULL ? 50 : 20;
/** One of this many messages is sent again: at least 5 %. */
const AGAIN = 16;

describe('many writers on one flat file', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await setUp();
  });
  beforeEach(() => bench.fresh());
  afterAll(() => bench.end());

  it(
    `many writers on one flat file loses, doubles and tears nothing and keeps each writer's order with ${WRITERS} processes of ${EACH} messages`,
    async () => {
      const mailbox = bench.inbox();
      fs.writeFileSync(mailbox, '---\nmailbox: inbox\nschema: foundry-mailbox-v1\n---\n\n# Inbox\n');
      const readers = [1, 2].map(() => bench.start({ what: 'read', mailbox }));
      await Promise.all(readers.map(({ child }) => once(child.stdout!, 'data')));
      const names = Array.from({ length: WRITERS }, (_, n) => `w${n}`);
      const writers = names.map((writer) =>
        bench.start({ what: 'write', mailbox, writer, count: EACH, again: AGAIN }),
      );
      for (const { done } of writers) {
        const { code, lines, stderr } = await done;
        expect(stderr).toBe('');
        expect(code).toBe(0);
        expect(lines).toMatchObject([{ prepended: EACH, duplicate: Math.floor(EACH / AGAIN) }]);
      }
      for (const { child, done } of readers) {
        child.stdin!.write('stop');
        const { code, stderr, lines } = await done;
        expect(stderr).toBe('');
        expect(code).toBe(0);
        expect((lines.at(-1) as { reads: number }).reads).toBeGreaterThan(0);
      }
      const ids = idsIn(mailbox);
      expect(ids).toHaveLength(WRITERS * EACH);
      expect(new Set(ids).size).toBe(ids.length);
      for (const name of names) {
        const own = ids.filter((id) => id.startsWith(`${name}-`)).map((id) => Number(id.split('-')[1]));
        expect(own, name).toEqual(Array.from({ length: EACH }, (_, n) => EACH - n));
      }
      expect(new FlatFile(mailbox).fsck().issues).toEqual([]);
    },
    FULL ? 1_200_000 : 120_000,
  );
});
