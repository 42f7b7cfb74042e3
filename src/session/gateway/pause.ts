import * as fs from 'node:fs';
import { ensurePrivateDirectory, readIfExists, utcStamp, writeJsonAtomic } from '../../base/index.ts';
import type { AgentPause } from '../../domain/index.ts';
import { pauseFile, readPause } from '../../wire/files/pause-file.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { type SessionPaths, sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';

/** A person's pause of an agent, from its file, whether a gateway runs or not. */
export function pauseOf({ pause }: Pick<SessionPaths, 'pause'>, nowMs: number): AgentPause | undefined {
  try {
    return readPause(readIfExists(pause), nowMs);
  } catch {
    // As in the gateway: what cannot be read keeps the agent paused.
    return readPause('', nowMs);
  }
}

/** Pauses an agent without a gateway that responds: its lane reads the file before it types. */
export function pauseOffline(
  { clock }: SessionContext,
  { root }: ManifestFacts,
  until: string | null,
): AgentPause {
  const paths = sessionPaths(root);
  const now = clock.now();
  const pause = { since_utc: pauseOf(paths, now.getTime())?.since_utc ?? utcStamp(now), until_utc: until };
  ensurePrivateDirectory(paths.gateway);
  writeJsonAtomic(paths.pause, pauseFile(pause));
  return pause;
}

/** Ends such a pause. */
export function resumeOffline({ root }: ManifestFacts): void {
  fs.rmSync(sessionPaths(root).pause, { force: true, recursive: true });
}
