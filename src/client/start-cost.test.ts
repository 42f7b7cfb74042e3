import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { reachedFiles } from '../../test/support/reached-files.ts';

const room = path.dirname(fileURLToPath(import.meta.url));

it('loading the client loads no schemas, no YAML, no server and no node:http', () => {
  const loaded = [...reachedFiles(path.join(room, 'index.ts'))];
  expect(
    loaded.filter((each) =>
      /src\/wire\/(?!capabilities\.ts|codes\.ts|places?\.ts)|src\/domain\/(?!names\.ts)/.test(each),
    ),
  ).toEqual([]);
  expect(loaded.filter((each) => !each.startsWith('/') && !each.startsWith('node:')).sort()).toEqual([
    'get-east-asian-width',
    'uuidv7',
  ]);
  expect(loaded).not.toContain('node:http');
});
