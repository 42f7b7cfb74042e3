import type { Seeded } from '../support/seeded.ts';

const WORDS = [
  'fix',
  'the',
  'parser',
  'Größe',
  'naïve',
  '数据',
  '検証する',
  'тест',
  '🙂',
  'a/b/c.ts',
  '--flag=1',
  '$HOME',
  '`ls`',
  '"quoted"',
  "it's",
  '; rm x',
  '#{pane_id}',
  '%1',
  '\\n',
  '<[Enter]>',
  '❯',
  '> 1. Yes',
  '─────',
  'C-c',
  '👩‍💻',
  '\t',
  'x'.repeat(70),
] as const;

/** A unique prompt of about this many bytes, in one or many lines. */
export function promptOf(random: Seeded, bytes: number, id: string): string {
  const words = [`prompt ${id}:`];
  let size = words[0]!.length;
  const lineEvery = random.pick([0, 6, 20]);
  while (size < bytes) {
    const word = random.pick(WORDS);
    const joint = lineEvery > 0 && random.whole(1, lineEvery) === 1 ? '\n' : ' ';
    words.push(joint + word);
    size += Buffer.byteLength(joint + word);
  }
  return `${words.join('')} end ${id}`;
}
