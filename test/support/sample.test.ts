import * as path from 'node:path';
import { expect, it } from 'vitest';
import { drawnFor } from './sample.ts';

it('what a test file draws depends on the seed and on its path in the repository, not on where the clone is', () => {
  const numbers = (where: string): number[] => {
    const random = drawnFor(where);
    return [1, 2, 3].map(() => random.next());
  };
  expect(numbers(import.meta.filename)).toEqual(numbers('test/support/sample.test.ts'));
  expect(numbers(`${import.meta.filename} more`)).toEqual(numbers('test/support/sample.test.ts more'));
  expect(numbers(path.join(import.meta.dirname, 'other.ts'))).not.toEqual(numbers(import.meta.filename));
});
