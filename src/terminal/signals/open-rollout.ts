import * as fs from 'node:fs';
import * as path from 'node:path';
import { filesOpenIn } from './open-files.ts';

const ROLLOUT = /^rollout-.*\.jsonl$/;
/** The kind of conversation stands near the beginning of the first line, before the instructions. */
const HEAD_BYTES = 4096;
const SUBAGENT = /"source":\s*\{\s*"subagent"/;

/**
 * The log of the conversation a person sees, among those the process and its children hold open. A new chat leaves
 * the log of the old one open, and each subagent has one of its own; the one written last is current.
 */
export function openRollout(pid: number): string | undefined {
  return filesOpenIn(pid)
    .filter((file) => ROLLOUT.test(path.basename(file)))
    .map((file) => ({ file, writtenMs: fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.writtenMs - a.writtenMs)
    .find(({ file }) => !SUBAGENT.test(headOf(file)))?.file;
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
