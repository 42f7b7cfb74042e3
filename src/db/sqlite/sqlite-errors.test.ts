import { describe, expect, it } from 'vitest';
import { sqliteError } from './sqlite-errors.ts';

describe('a disk that refuses the sync of a group', () => {
  it.each([
    ['ENOSPC', 'the disk is full'],
    ['EIO', 'could not be read or written'],
    ['EROFS', 'cannot be written'],
    ['EMFILE', 'cannot be opened'],
  ])('%s is reported as external trouble with its reason', (code, words) => {
    const error = sqliteError('/q.sqlite', Object.assign(new Error(`${code}: refused`), { code }));
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining(words) });
  });
});
