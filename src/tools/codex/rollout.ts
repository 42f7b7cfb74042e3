import * as fs from 'node:fs';
import * as path from 'node:path';
import { directoryOf, openFilesOf, type ProcessIdentity, startedAtMs } from '../../base/index.ts';
import { filesOpenIn } from '../signals/open-files.ts';
import type { LogEntry, LogKind } from '../signals/session-log.ts';
import { daemonOf } from './daemon.ts';

const ROLLOUT = /^rollout-.*\.jsonl$/;
/** The kind of conversation is near the beginning of the first line, before the instructions. */
const HEAD_BYTES = 4096;
const SUBAGENT = /"source":\s*\{\s*"subagent"/;

interface Line {
  timestamp?: string;
  type?: string;
  payload?: {
    type?: unknown;
    message?: unknown;
    last_agent_message?: unknown;
    item?: { type?: unknown; content?: unknown };
    rate_limits?: unknown;
    codex_error_info?: unknown;
    error?: { message?: unknown; codex_error_info?: unknown } | null;
  };
}

/**
 * Codex's log of the conversation, found among the files that its process holds open, or those of the daemon, which keeps
 * the conversations of every codex started without its own settings. The daemon does not report which terminal shows which.
 */
export const CODEX_ROLLOUT: LogKind = {
  source: 'codex_rollout',
  proof: 'rollout',
  find: (tool) => {
    const own = rolloutsAmong(filesOpenIn(tool.pid, daemonOf(tool.pid)))[0];
    if (own !== undefined) return own;
    const kept = keptByDaemon(tool);
    return kept.length > 1 ? null : kept[0];
  },
  candidates: keptByDaemon,
  entryOf,
  idOf: (file) => /-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(file)?.[1],
  // Every turn ends with one of these; a killed codex writes neither.
  states: {
    task_started: 'busy',
    turn_started: 'busy',
    task_complete: 'idle',
    turn_complete: 'idle',
    turn_aborted: 'interrupted',
  },
};

/**
 * The logs of visible conversations, the one written last first. A new chat leaves the log of the old one open, and each
 * subagent has its own.
 */
function rolloutsAmong(files: string[]): string[] {
  return files
    .filter((file) => ROLLOUT.test(path.basename(file)))
    .map((file) => ({ file, writtenMs: writtenMs(file) }))
    .sort((a, b) => b.writtenMs - a.writtenMs)
    .filter(({ file }) => !SUBAGENT.test(headOf(file)))
    .map(({ file }) => file);
}

/** The daemon's logs that were begun in the directory of this process, and written since it began. */
function keptByDaemon(tool: ProcessIdentity): string[] {
  const daemon = daemonOf(tool.pid);
  if (daemon === undefined) return [];
  const began = startedAtMs(tool) ?? 0;
  const workdir = directoryOf(tool.pid);
  return rolloutsAmong(openFilesOf(daemon)).filter(
    (file) => writtenMs(file) >= began && headOf(file).includes(`"cwd":${JSON.stringify(workdir)}`),
  );
}

function writtenMs(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function headOf(file: string): string {
  try {
    const fd = fs.openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(HEAD_BYTES);
      return bytes.subarray(0, fs.readSync(fd, bytes, 0, HEAD_BYTES, 0)).toString();
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return '';
  }
}

/** Up to 0.144 a prompt is a separate event; from 0.155 on it is a finished item of the turn. */
function entryOf(parsed: Line): LogEntry[] {
  const { payload } = parsed;
  if (parsed.type !== 'event_msg' || typeof payload?.type !== 'string') return [];
  const atMs = Date.parse(parsed.timestamp ?? '');
  const entry = { atMs: Number.isNaN(atMs) ? 0 : atMs };
  if (payload.type === 'item_completed' && payload.item?.type === 'UserMessage') {
    return [{ ...entry, kind: 'user_message', text: textOf(payload.item.content) }];
  }
  const answer = payload.last_agent_message;
  const limit = limitOf(payload, entry.atMs);
  return [
    {
      ...entry,
      kind: payload.type,
      text: String(payload.message ?? ''),
      ...(typeof answer === 'string' && answer !== '' && { answer }),
      ...(limit && { limit }),
    },
  ];
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content
    .map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : ''))
    .join('');
}

/**
 * `token_count` has how much of each window is used, and when it resets; the error of a refused turn says why. Codex keeps the
 * first in its log; the second is in a row of its own in some versions, and in the end of the turn from 0.169 on.
 */
function limitOf(payload: NonNullable<Line['payload']>, atMs: number): LogEntry['limit'] {
  if (payload.type === 'token_count' && payload.rate_limits)
    return { untilMs: usedUpUntil(payload.rate_limits, atMs) };
  const error = payload.type === 'error' ? payload : payload.error;
  const isLimit = error?.codex_error_info === 'usage_limit_exceeded';
  return isLimit ? { message: String(error?.message ?? '') } : undefined;
}

/** The latest reset of the windows that are used up; null if none is. Older versions state seconds from the entry on. */
function usedUpUntil(limits: unknown, atMs: number): number | null {
  if (limits === null || typeof limits !== 'object') return null;
  const ends = Object.values(limits).flatMap((window: Partial<Record<string, unknown>> | null) => {
    if (window === null || typeof window !== 'object' || !(Number(window['used_percent']) >= 100)) return [];
    const { resets_at: at, resets_in_seconds: inSeconds } = window;
    if (typeof at === 'number') return [at * 1000];
    return typeof inSeconds === 'number' ? [atMs + inSeconds * 1000] : [];
  });
  return ends.length > 0 ? Math.max(...ends) : null;
}
