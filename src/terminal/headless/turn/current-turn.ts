import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  bootId,
  errnoOf,
  explainDisk,
  fsyncDirectory,
  isDiskTrouble,
  readJsonIfExists,
  shareFile,
  writeJsonAtomic,
} from '../../../base/index.ts';
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
const ownFile = (root: string, turnId: string): string => path.join(root, turnId, 'turn.json');

/** Beside the turn as well: the next turn may be another process's, begun before this one's fate was asked for. */
export function writeCurrentTurn(root: string, turn: Omit<CurrentTurn, 'boot_id'>): void {
  const whole = { ...turn, boot_id: bootId() };
  const own = ownFile(root, turn.turn_id);
  writeJsonAtomic(own, whole, { durable: 'content' });
  shareFile(own, file(root));
  for (const directory of [path.dirname(own), root]) fsyncDirectory(directory);
}

/** The turn begun last for a request, whether or not others followed it. */
export function readTurnOf(root: string, requestId: string): CurrentTurn | 'unreadable' | undefined {
  const current = readCurrentTurn(root);
  if (current === 'unreadable' || current?.request_id === requestId) return current;
  const turns = turnIds(root)
    .map((id) => readTurn(ownFile(root, id)))
    .filter((turn): turn is CurrentTurn => typeof turn === 'object' && turn.request_id === requestId);
  return turns.sort((a, b) => a.prepared_at_utc.localeCompare(b.prepared_at_utc)).at(-1);
}

function turnIds(root: string): string[] {
  try {
    return fs.readdirSync(root).filter((name) => turnIdProblem(name) === undefined);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

export function settleCurrentTurn(root: string, turn: CurrentTurn): void {
  writeJsonAtomic(file(root), { ...turn, settled: true }, { durable: false });
}

/**
 * Undefined when no turn was ever begun, `unreadable` when the file says nothing that can be trusted. Throws when it cannot be
 * read now, and a moment later may.
 */
export function readCurrentTurn(root: string): CurrentTurn | 'unreadable' | undefined {
  return readTurn(file(root));
}

function readTurn(from: string): CurrentTurn | 'unreadable' | undefined {
  let found: Partial<CurrentTurn> | null | undefined;
  try {
    found = readJsonIfExists(from) as typeof found;
  } catch (error) {
    if (isDiskTrouble(error)) throw explainDisk(error, `cannot read ${from}`);
    return 'unreadable';
  }
  if (found === undefined) return undefined;
  const texts = [found?.turn_id, found?.request_id, found?.attempt, found?.prepared_at_utc];
  if (!texts.every((text) => typeof text === 'string') || !/^[0-9a-f]+$/.test(found?.attempt ?? ''))
    return 'unreadable';
  return turnIdProblem(found?.turn_id ?? '') ? 'unreadable' : (found as CurrentTurn);
}
