import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../db/index.ts';
import { openGatewayRecords } from './offline.ts';
import { FORMER_QUEUE_FILE_MIGRATIONS } from './queue-file.ts';

it('a session that an earlier version left is read as it is, without kept states', () => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-former-'));
  try {
    const file = path.join(root, 'queue.sqlite');
    openSqlite({ file, migrations: FORMER_QUEUE_FILE_MIGRATIONS }).close();
    const records = openGatewayRecords(root);
    expect(records.requests(10)).toEqual([]);
    expect(records.states({ fromMs: 0, toMs: 1e15, limit: 10 })).toEqual([]);
    expect(records.news()).toContain('null');
    records.close();
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
});
