import * as fs from 'node:fs';
import * as path from 'node:path';
import { FlatFile } from '../../src/mail/flatfile/index.ts';
import type { Act } from './every-write.ts';
import { runWriter } from './writer.ts';

/** Large enough to be written and flushed in a thread. */
const LARGE = 1_500_000;

function actsOn(box: FlatFile, large: FlatFile): Act[] {
  const bodyOf = (id: string, size: number): string => `begin ${id}\n${'x'.repeat(size)}\nend ${id}`;
  const put = async (to: FlatFile, id: string, size = 100): Promise<void> => {
    const fields = new Map([
      ['from', 'ana'],
      ['to', 'bob'],
      ['re', id],
      ['msg-id', refOf(id)],
    ]);
    await to.prepend({ fields, body: bodyOf(id, size) });
  };
  const count = (from: FlatFile, id: string, size = 100): number => {
    const { entries, damaged } = from.list({ includeBody: true });
    if (damaged > 0) throw new Error(`${damaged} messages are damaged`);
    const those = entries.filter(({ ref }) => ref === refOf(id));
    for (const { body } of those) if (body !== bodyOf(id, size)) throw new Error(`${id} is shown by half`);
    return those.length;
  };
  return [
    { name: 'prepend', run: (id) => put(box, id), count: async (id) => count(box, id) },
    {
      name: 'prepend to a large one',
      run: (id) => put(large, id),
      count: async (id) => count(large, id),
    },
    {
      name: 'set a status',
      prepare: (id) => put(box, id),
      run: (id) => box.setStatus([refOf(id)], { to: 'actioned' }),
      count: async (id) => (box.show(refOf(id)).status === 'actioned' ? 1 : 0) + count(box, id) - 1,
    },
    {
      name: 'archive',
      prepare: (id) => put(box, id),
      run: async (id) => void (await box.archive({ refs: [refOf(id)] })),
      count: async (id) => {
        const here = count(box, id);
        const there = count(new FlatFile(box.paths.archive), id);
        if (here + there !== 1) throw new Error(`${id} is ${here} times here and ${there} in the archive`);
        return there;
      },
    },
    {
      name: 'repair',
      prepare: async (id) => {
        await put(box, id);
        fs.appendFileSync(
          box.paths.mailbox,
          `\n---\nfrom: ana\nto: bob\nre: cut off\nmsg-id: cut-${refOf(id)}\n`,
        );
      },
      run: async () => void (await box.repair()),
      count: async () => (box.fsck().issues.some(({ repairable }) => repairable) ? 0 : 1),
    },
  ];
}

const refOf = (id: string): string => id.replaceAll(' ', '-');

await runWriter(async (directory) => {
  const agent = path.join(directory, '.agent');
  fs.mkdirSync(agent);
  const box = new FlatFile(path.join(agent, 'inbox.md'));
  const large = new FlatFile(path.join(agent, 'large.md'));
  await large.prepend({
    fields: new Map([
      ['from', 'a'],
      ['to', 'b'],
      ['re', 'c'],
      ['msg-id', 'first'],
    ]),
    body: 'x'.repeat(LARGE),
  });
  return {
    acts: actsOn(box, large),
    close: async () => {
      await box.idle();
      const issues = box.fsck().issues.filter(({ warning }) => !warning);
      if (issues.length > 0) throw new Error(JSON.stringify(issues));
      const left = fs.readdirSync(agent).filter((name) => name.includes('.tmp-'));
      if (left.length > 0) throw new Error(`left behind: ${left}`);
    },
  };
});
