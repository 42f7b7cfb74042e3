/** Random numbers that come again with the same seed. */
export class Seeded {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 ≤ x < 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(from: readonly T[]): T {
    return from[this.whole(0, from.length - 1)]!;
  }

  /** One of the keys, as often as their weights say. */
  weighted<T extends string>(weights: Record<T, number>): T {
    const entries = Object.entries(weights) as [T, number][];
    let at = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      at -= weight;
      if (at < 0) return key;
    }
    return entries[0]![0];
  }
}

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

/** A prompt of about so many bytes, unlike any other, in one or many lines. */
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
