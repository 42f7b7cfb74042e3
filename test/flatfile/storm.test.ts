import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FlatFile } from '../../src/mail/flatfile/index.ts';
import { drawnFor } from '../support/sample.ts';
import { type Bench, FULL, idsIn, setUp } from './support.ts';

const WRITERS = FULL ? 12 : 6;
const EACH = FULL ? 120 : 40;
const DEATHS = FULL ? 10 : 2;

describe('writers killed at any moment while others write', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await setUp();
  });
  beforeEach(() => bench.fresh());
  afterAll(() => bench.end());

  it(
    'killed writers lose nothing, double nothing and keep their order, once they are run again',
    async () => {
      const mailbox = bench.inbox();
      const untilDone = async (writer: string): Promise<void> => {
        const random = drawnFor(`storm ${writer}`);
        for (let death = 0; ; death++) {
          const { child, done } = bench.start({ what: 'write', mailbox, writer, count: EACH, tell: true });
          // Killed after that many messages, wherever it is then; the last one is not killed.
          let left = death < DEATHS ? random.whole(0, EACH - 1) : Number.POSITIVE_INFINITY;
          child.stdout!.on('data', (data: Buffer) => {
            left -= data.toString().split('\n').length - 1;
            if (left < 0) setTimeout(() => child.kill('SIGKILL'), random.next() * 5);
          });
          const { code, stderr } = await done;
          expect(stderr).toBe('');
          if (code === 0) return;
        }
      };
      const names = Array.from({ length: WRITERS }, (_, n) => `w${n}`);
      await Promise.all(names.map(untilDone));
      const ids = idsIn(mailbox);
      expect(ids).toHaveLength(WRITERS * EACH);
      for (const name of names) {
        const own = ids.filter((id) => id.startsWith(`${name}-`)).map((id) => Number(id.split('-')[1]));
        expect(own, name).toEqual(Array.from({ length: EACH }, (_, n) => EACH - n));
      }
      expect(new FlatFile(mailbox).fsck().issues).toEqual([]);
    },
    FULL ? 900_000 : 120_000,
  );
});
