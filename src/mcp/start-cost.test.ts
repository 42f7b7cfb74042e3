import * as path from 'node:path';
import { expect, it } from 'vitest';
import { reachedFiles } from '../../test/support/reached-files.ts';

it('starting over standard input loads no database, no web server and no fleet', () => {
  const loaded = [...reachedFiles(path.join(import.meta.dirname, 'index.ts'))];
  const rooms = loaded.map((file) => /src\/(\w+)\//.exec(file)?.[1]).filter(Boolean);
  expect([...new Set(rooms)].sort()).toEqual(['base', 'domain', 'mail', 'mcp', 'wire']);
  const stores = loaded.filter(
    (file) => file.includes('src/mail/') && !/(transports?|binding|layout)\.ts$/.test(file),
  );
  expect(stores).toEqual([]);
  expect(loaded.filter((each) => /^(pg|hono|@hono|koffi|@electric-sql|@photostructure)/.test(each))).toEqual(
    [],
  );
  expect(loaded).toContain('@modelcontextprotocol/server/stdio');
});
