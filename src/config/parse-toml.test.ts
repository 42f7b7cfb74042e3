import { expect, it } from 'vitest';
import { parseToml } from './parse-toml.ts';

const refusalOf = (text: string): string => {
  try {
    parseToml({ path: 'rouse.toml', bytes: Buffer.from(text) });
    return 'accepted';
  } catch (error) {
    return (error as Error).message;
  }
};

it.each([
  ['dotted keys', `${Array(15_000).fill('a').join('.')} = 1`],
  ['a table header', `[${Array(15_000).fill('a').join('.')}]`],
  ['arrays', `a = ${'['.repeat(30_000)}${']'.repeat(30_000)}`],
  ['inline tables', `a = ${'{b='.repeat(10_000)}1${'}'.repeat(10_000)}`],
])('endlessly nested %s are refused with a clear error', (_, text) => {
  expect(refusalOf(text)).toMatch(/^rouse\.toml(:\d+)?[: ].*(deep|nest)/);
});

it('files that people write are not refused as too deep', () => {
  expect(refusalOf('[a.b.c]\nd = [[1], [2]]\n')).toBe('accepted');
});
