import * as path from 'node:path';
import { expect, it } from 'vitest';
import { reachedFiles } from '../../test/support/reached-files.ts';

const ROOM = import.meta.dirname;

it('asking for a status loads no schemas, no database, no mailbox and no screens', () => {
  const loaded = [...reachedFiles(path.join(ROOM, 'index.ts'))];
  const rooms = loaded.map((file) => /src\/(\w+)\//.exec(file)?.[1]).filter(Boolean);
  expect([...new Set(rooms)].sort()).toEqual(['base', 'client', 'domain', 'mail', 'session', 'tmux', 'wire']);
  const mail = loaded.filter((file) => file.includes('src/mail/')).map((file) => path.basename(file));
  expect(mail).toEqual(['inbox-count.ts']);
  const wire = loaded
    .filter((file) => /src\/wire\/(?!houmao\/)/.test(file))
    .map((file) => path.basename(file));
  expect(wire.sort()).toEqual([
    'beside.ts',
    'capabilities.ts',
    'codes.ts',
    'host-files.ts',
    'pause-file.ts',
    'place.ts',
    'places.ts',
    'session-files.ts',
  ]);
  const heavy = /^(zod|hono|@hono|yaml|pg|koffi|@photostructure|@electric-sql|@xterm|commander)/;
  expect(loaded.filter((each) => heavy.test(each))).toEqual([]);
});
