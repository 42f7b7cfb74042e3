import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import type { SeenNeed } from './outbox/need.ts';

/** A private directory for an outbox; call `remove` at the end. */
export function noticesPlace(): { directory: string; remove: () => void } {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'notices-'));
  return { directory, remove: () => fs.rmSync(directory, { recursive: true, force: true }) };
}

export const seenNeed = (over: Partial<SeenNeed> = {}): SeenNeed => ({
  key: 'dialog:ana',
  kind: 'dialog',
  agent: 'ana',
  person: null,
  words: 'permission dialog',
  command: 'rouse answer ana',
  href: '/agents/ana',
  since_utc: '2026-01-01T00:00:00.000Z',
  writer: '1 2',
  past: false,
  ...over,
});
