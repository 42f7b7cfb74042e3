import * as fs from 'node:fs';
import * as path from 'node:path';
import { filesOpenIn } from './open-files.ts';
import type { LogEntry, LogKind } from './session-log.ts';

/** By this file, held open, a process says that the session beside it is its own. */
const IN_USE = /\/session-state\/[^/]+\/inuse\.\d+\.hold$/;

interface Line {
  type?: unknown;
  timestamp?: unknown;
  data?: { content?: unknown } | null;
}

/** The events of the session that Copilot shows. With several open at once nobody knows which of them that is. */
export const COPILOT_EVENTS: LogKind = {
  source: 'copilot_events',
  proof: 'session_log',
  outlivesProcess: true,
  find: ({ pid }) => {
    const held = new Set(filesOpenIn(pid).filter((file) => IN_USE.test(file)));
    const [one] = held;
    if (one === undefined) return undefined;
    if (held.size > 1) return null;
    const file = path.join(path.dirname(one), 'events.jsonl');
    return fs.existsSync(file) ? file : undefined;
  },
  entryOf,
  says: {
    user_message: 'busy',
    'assistant.turn_start': 'busy',
    'assistant.turn_end': 'idle',
    'session.compaction_start': 'busy',
    'session.compaction_complete': 'idle',
    'permission.requested': 'waiting',
    'permission.completed': 'busy',
    'session.error': 'failed',
    abort: 'interrupted',
  },
};

function entryOf(line: string): LogEntry[] {
  let parsed: Line | null;
  try {
    parsed = JSON.parse(line) as Line | null;
  } catch {
    return [];
  }
  if (typeof parsed?.type !== 'string') return [];
  const atMs = Date.parse(String(parsed.timestamp ?? ''));
  const entry = { atMs: Number.isNaN(atMs) ? 0 : atMs };
  if (parsed.type !== 'user.message') return [{ ...entry, kind: parsed.type, text: '' }];
  return [{ ...entry, kind: 'user_message', text: String(parsed.data?.content ?? '') }];
}
