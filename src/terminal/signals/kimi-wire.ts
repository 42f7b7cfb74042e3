import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import type { ProcessIdentity } from '../../base/index.ts';
import type { LogEntry, LogKind } from './session-log.ts';
import { startedAtMs } from './started-at.ts';
import { toolVariable } from './tool-variable.ts';

interface Line {
  type?: unknown;
  time?: unknown;
  input?: unknown;
}

/**
 * What Kimi Code records of a session. It holds no file open, so the session is sought by the directory it works in,
 * among those written since the process began. With several of them nobody knows which one it shows.
 */
export const KIMI_WIRE: LogKind = {
  source: 'kimi_wire',
  proof: 'session_log',
  outlivesProcess: true,
  find: (tool) => {
    const found = wiresOf(tool);
    return found.length > 1 ? null : found[0];
  },
  entryOf,
  says: {
    user_message: 'busy',
    'turn.ended': 'idle',
    'full_compaction.begin': 'busy',
    'full_compaction.complete': 'idle',
    'full_compaction.cancel': 'idle',
  },
};

function wiresOf(tool: ProcessIdentity): string[] {
  const { pid } = tool;
  try {
    const began = startedAtMs(tool) ?? 0;
    const workdir = fs.readlinkSync(`/proc/${pid}/cwd`);
    const home =
      toolVariable(pid, 'KIMI_CODE_HOME') ??
      path.join(toolVariable(pid, 'HOME') ?? os.homedir(), '.kimi-code');
    const index = fs.readFileSync(path.join(home, 'session_index.jsonl'), 'utf8').split('\n');
    const directories = new Set(index.flatMap((line) => directoryOf(line, workdir)));
    return [...directories]
      .map((directory) => path.join(directory, 'agents', 'main', 'wire.jsonl'))
      .filter((file) => (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= began);
  } catch {
    return [];
  }
}

function directoryOf(line: string, workdir: string): string[] {
  try {
    const { workDir, sessionDir } = JSON.parse(line) as Record<string, unknown>;
    return workDir === workdir && typeof sessionDir === 'string' ? [sessionDir] : [];
  } catch {
    return [];
  }
}

function entryOf(line: string): LogEntry[] {
  let parsed: Line | null;
  try {
    parsed = JSON.parse(line) as Line | null;
  } catch {
    return [];
  }
  if (typeof parsed?.type !== 'string') return [];
  const atMs = typeof parsed.time === 'number' ? parsed.time : 0;
  if (parsed.type !== 'turn.prompt') return [{ kind: parsed.type, atMs, text: '' }];
  return [{ kind: 'user_message', atMs, text: textOf(parsed.input) }];
}

function textOf(input: unknown): string {
  if (!Array.isArray(input)) return '';
  return input
    .map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : ''))
    .join('');
}
