import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { sha256, sha256Here } from './sha256.ts';

const real = (text: string): string => createHash('sha256').update(text).digest('hex');

it('is the SHA-256 of the text, whatever its length', () => {
  for (const text of ['', 'abc', '/home/ana/ünïcode/inbox.md', '✉'.repeat(999)])
    expect(sha256Here(text)).toBe(real(text));
  for (let length = 50; length < 200; length++) {
    const text = String.fromCharCode(length).repeat(length);
    expect(sha256Here(text)).toBe(real(text));
  }
});

it('is the same when it has hashed much', () => {
  for (let n = 0; n < 100; n++) expect(sha256('x'.repeat(n * 10))).toBe(real('x'.repeat(n * 10)));
});
