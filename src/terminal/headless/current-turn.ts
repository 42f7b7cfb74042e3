import * as path from 'node:path';
import { bootId, readJsonIfExists, writeJsonAtomic } from '../../base/index.ts';
import { turnIdProblem } from './turn-files.ts';

/**
 * current.json: the one turn this session has begun last. Written and synced before its process is started, so that
 * whoever comes after a crash knows where to look; `settled` once its result stands in the manifest.
 */
export interface CurrentTurn {
  turn_id: string;
  request_id: string;
  attempt: string;
  turn_index: number;
  carries_role: boolean;
  boot_id: string | null;
  prepared_at_utc: string;
  settled: boolean;
}

const file = (root: string): string => path.join(root, 'current.json');

export function writeCurrentTurn(root: string, turn: Omit<CurrentTurn, 'boot_id'>): void {
  writeJsonAtomic(file(root), { ...turn, boot_id: bootId() });
}

export function settleCurrentTurn(root: string, turn: CurrentTurn): void {
  writeJsonAtomic(file(root), { ...turn, settled: true }, { durable: false });
}

/** Undefined when no turn was ever begun, `unreadable` when the file says nothing that can be trusted. */
export function readCurrentTurn(root: string): CurrentTurn | 'unreadable' | undefined {
  let found: Partial<CurrentTurn> | null | undefined;
  try {
    found = readJsonIfExists(file(root)) as typeof found;
  } catch {
    return 'unreadable';
  }
  if (found === undefined) return undefined;
  const texts = [found?.turn_id, found?.request_id, found?.attempt, found?.prepared_at_utc];
  if (!texts.every((text) => typeof text === 'string') || !/^[0-9a-f]+$/.test(found?.attempt ?? ''))
    return 'unreadable';
  return turnIdProblem(found?.turn_id ?? '') ? 'unreadable' : (found as CurrentTurn);
}
