import * as fs from 'node:fs';

/** The row is among the last of the transcript. */
const END_BYTES = 1 << 18;

/** The row is written shortly before or after the hook runs. */
const APART_MS = 30_000;

/**
 * When the usage limit ends that ended a turn at about this time, from Claude Code's transcript of the conversation; null if
 * it does not state it.
 */
export function resetIn(transcript: string, atMs: number): number | null {
  const rows = endOf(transcript)
    .split('\n')
    .filter((row) => row.includes('"rate_limit_info"'));
  return rows.reduce<number | null>((found, row) => resetOf(row, atMs) ?? found, null);
}

interface Row {
  type?: unknown;
  timestamp?: unknown;
  apiError?: unknown;
  apiErrorParams?: { rate_limit_info?: { status?: unknown; resetsAt?: unknown } } | null;
}

function resetOf(text: string, atMs: number): number | null {
  try {
    const row = JSON.parse(text) as Row | null;
    const info = row?.apiErrorParams?.rate_limit_info;
    const isOurs =
      row?.type === 'assistant' &&
      row.apiError === 'usage_limit_reached' &&
      Math.abs(Date.parse(String(row.timestamp)) - atMs) < APART_MS;
    return isOurs && info?.status === 'rejected' && Number.isSafeInteger(info.resetsAt)
      ? Number(info.resetsAt) * 1000
      : null;
  } catch {
    return null;
  }
}

function endOf(file: string): string {
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    try {
      const stat = fs.fstatSync(fd);
      if (!stat.isFile()) return '';
      const bytes = Buffer.alloc(Math.min(stat.size, END_BYTES));
      const count = fs.readSync(fd, bytes, 0, bytes.length, Math.max(0, stat.size - END_BYTES));
      return bytes.subarray(0, count).toString();
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return '';
  }
}
