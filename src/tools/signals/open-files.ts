import * as fs from 'node:fs';
import { childrenOf } from '../../base/index.ts';

/** The files that a process and its children hold open. */
export function filesOpenIn(pid: number): string[] {
  return [pid, ...childrenOf(pid)].flatMap(openFiles);
}

function openFiles(pid: number): string[] {
  let descriptors: string[];
  try {
    descriptors = fs.readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
  return descriptors.flatMap((fd) => {
    try {
      return [fs.readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}
