import * as fs from 'node:fs';
import * as path from 'node:path';
import { isProcessAlive, type ProcessIdentity, readIfExists, writeJsonAtomic } from '../../base/index.ts';
import { HAND_OVER_SIGNAL } from '../../domain/index.ts';
import { hostOf } from '../host/end-in-host.ts';
import type { SessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { endStarted } from './end-gateway.ts';

/**
 * A gateway between its start and its first word. When its attach is killed there, nobody waits for it any more;
 * the next action on the session finds it by this note and ends it, so that it does not come up behind one's back.
 */
export function noteStarting(paths: SessionPaths, identity: ProcessIdentity): void {
  writeJsonAtomic(noteFile(paths), identity, { durable: false });
}

export function forgetStarting(paths: SessionPaths): void {
  fs.rmSync(noteFile(paths), { force: true });
}

const NOBODY: ProcessIdentity = { pid: 0, startTicks: -1, bootId: null };

/** The caller holds the life-cycle lock: whoever wrote the note is gone. A gateway that has recorded itself is not half. */
export async function endHalfStarted(context: SessionContext, paths: SessionPaths): Promise<void> {
  const identity = readNote(paths);
  const begun = hostOf(paths) !== undefined || (identity !== undefined && isProcessAlive(identity));
  if (begun && !fs.existsSync(paths.currentInstance)) {
    const started = { identity: identity ?? NOBODY, hosted: identity === undefined };
    // It may get ready meanwhile, and then holds what the one before has handed over.
    await endStarted(paths, started, context.clock, { ask: HAND_OVER_SIGNAL });
  }
  forgetStarting(paths);
}

function readNote(paths: SessionPaths): ProcessIdentity | undefined {
  try {
    const note = JSON.parse(readIfExists(noteFile(paths)) ?? 'null') as ProcessIdentity | null;
    return note && Number.isInteger(note.pid) && Number.isInteger(note.startTicks) ? note : undefined;
  } catch {
    return undefined;
  }
}

function noteFile(paths: SessionPaths): string {
  return path.join(paths.run, 'starting.json');
}
