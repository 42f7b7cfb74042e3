import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  type Clock,
  commandLine,
  compactStamp,
  conflict,
  ensurePrivateDirectory,
  errnoOf,
  fsyncDirectory,
  internal,
  invalid,
  randomHex,
  readIfExists,
  readObjectIfAny,
  stableJson,
  unsupported,
  withFileLock,
  writeFileAtomic,
  writeJsonIfOther,
} from '../../base/index.ts';
import { parseUtcTime } from '../../domain/index.ts';
import {
  besideOf,
  parseFile,
  RECORD_BY,
  type RegistryRecord,
  registryRecord,
  splitFile,
} from '../../wire/index.ts';
import type { ManifestFacts } from './manifest-facts.ts';
import {
  isFresh,
  leaseIsOld,
  RECORD_VERSION,
  readRecord,
  recordPath,
  writtenVersion,
} from './registry-read.ts';

export const LAUNCHED_LEASE_MS = 24 * 60 * 60 * 1000;
export const JOINED_LEASE_MS = 30 * LAUNCHED_LEASE_MS;

/**
 * Writes the shared registry. One lock orders all writers of this host. The first publication of an id is also an
 * exclusive link, so that a writer without the lock is not overwritten. A record belongs to one generation: while it is
 * fresh, no other generation may replace it, and only its own may remove it.
 */
async function locked<T>(registryDir: string, clock: Clock, work: () => T): Promise<T> {
  ensurePrivateDirectory(path.join(registryDir, 'live_agents'));
  return withFileLock(path.join(registryDir, 'registry.lock'), { timeoutMs: 10_000, clock }, work);
}

export async function publishRecord(
  registryDir: string,
  record: RegistryRecord,
  clock: Clock,
): Promise<void> {
  const file = recordPath(registryDir, record.agent_id);
  const checked = parseFile(registryRecord, record, file);
  const nowMs = clock.now().getTime();
  if (!isFresh(checked, nowMs)) throw invalid(`the lease of agent ${checked.agent_id} has already run out`);
  await locked(registryDir, clock, () => {
    const before = readRecord(registryDir, checked.agent_id);
    if (before === 'malformed') {
      refuseNewer(file);
      putAside(file, clock);
    } else if (before && isFresh(before, nowMs)) refuseOtherGeneration(before, checked);
    ensurePrivateDirectory(path.dirname(file));
    if (before === undefined || before === 'malformed') writeRecord(file, checked, createExclusively);
    else if (!sameExceptLease(file, checked) || leaseIsOld(before, nowMs)) writeRecord(file, checked);
    const after = readRecord(registryDir, checked.agent_id);
    if (!after || after === 'malformed' || after.generation_id !== checked.generation_id) {
      throw conflict(`another process published agent ${checked.agent_id} at the same time`);
    }
  });
}

/** Writes the file beside it first, which counts only for the generation that it names. */
function writeRecord(
  file: string,
  record: RegistryRecord,
  write: (file: string, text: string) => void = writeFileAtomic,
): void {
  const { published, beside } = splitFile(registryRecord, record, RECORD_BY);
  if (record.terminal.socket != null) writeJsonIfOther(besideOf(file), beside);
  write(file, stableJson(published));
}

function refuseOtherGeneration(before: RegistryRecord, wanted: RegistryRecord): void {
  if (before.generation_id === wanted.generation_id) return;
  throw conflict(`agent id ${wanted.agent_id} belongs to a live session, "${before.terminal.session_name}"`, {
    hint: `stop it with "${commandLine`rouse agents stop --agent-id ${before.agent_id}`}", or choose another name or --agent-id`,
    facts: { cause: 'agent_id_in_use', tmux_session: before.terminal.session_name },
  });
}

/** A record of a newer version is not damaged: an agent of that version may depend on it. */
function refuseNewer(file: string): void {
  const version = writtenVersion(file);
  if (version === undefined || version <= RECORD_VERSION) return;
  throw unsupported(`${file} was written by a newer version of Rouse (record version ${version})`, {
    hint: 'update Rouse, or choose another name or --agent-id',
    facts: { file },
  });
}

/** Keeps the bad file for a person to look at. */
function putAside(file: string, clock: Clock): void {
  fs.renameSync(file, `${file}.malformed-${compactStamp(clock.now())}-${randomHex(2)}`);
}

function createExclusively(file: string, text: string): void {
  const temporary = `${file}.new-${process.pid}-${randomHex(4)}`;
  writeFileAtomic(temporary, text);
  try {
    fs.linkSync(temporary, file);
    fsyncDirectory(path.dirname(file));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    throw conflict(`another process published ${path.basename(path.dirname(file))} at the same time`);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

/** Nothing is written for a record with the same content whose lease has more than half left. */
function sameExceptLease(file: string, wanted: RegistryRecord): boolean {
  const bare = ({ published_at: _, lease_expires_at: __, ...rest }: Record<string, unknown>): string =>
    stableJson(rest);
  const { published, beside } = splitFile(registryRecord, wanted, RECORD_BY);
  const known = wanted.terminal.socket == null || readIfExists(besideOf(file)) === stableJson(beside);
  return known && bare(readObjectIfAny(file) ?? {}) === bare(published);
}

/** The owner of a record: an id, and the generation that published it. */
export interface RecordOwner {
  agentId: string;
  generationId: string | undefined;
}

/** Changes the record of this generation. False, and no change, if it is gone or belongs to another generation. */
export async function amendRecord(
  registryDir: string,
  owner: RecordOwner,
  clock: Clock,
  change: (record: RegistryRecord) => RegistryRecord,
): Promise<boolean> {
  const file = recordPath(registryDir, owner.agentId);
  if (!fs.existsSync(file)) return false;
  return locked(registryDir, clock, () => {
    const before = readRecord(registryDir, owner.agentId);
    if (!before || before === 'malformed' || before.generation_id !== owner.generationId) return false;
    const after = parseFile(registryRecord, change(before), file);
    if (stableJson(after) !== stableJson(before)) writeRecord(file, after);
    return true;
  });
}

/** Renews a lease with the same length, once half of it has passed. Does not revive expired records. */
export async function renewLease(registryDir: string, facts: ManifestFacts, clock: Clock): Promise<boolean> {
  const nowMs = clock.now().getTime();
  const before = readRecord(registryDir, facts.agentId);
  if (!before || before === 'malformed' || !isFresh(before, nowMs) || !leaseIsOld(before, nowMs))
    return false;
  return amendRecord(registryDir, facts, clock, (record) => withLease(record, clock.now(), leaseOf(record)));
}

function leaseOf(record: RegistryRecord): number {
  return parseUtcTime(record.lease_expires_at)! - parseUtcTime(record.published_at)!;
}

export function withLease(record: RegistryRecord, now: Date, leaseMs: number): RegistryRecord {
  return {
    ...record,
    published_at: now.toISOString(),
    lease_expires_at: new Date(now.getTime() + leaseMs).toISOString(),
  };
}

/** Removes the gateway from the record, which has one only while it is live. */
export function withdrawGateway(registryDir: string, facts: ManifestFacts, clock: Clock): Promise<boolean> {
  return amendRecord(registryDir, facts, clock, (record) => ({ ...record, gateway: null }));
}

/** Removes the record if this generation owns it. False if it is absent or belongs to another generation. */
export async function removeRecord(registryDir: string, facts: RecordOwner, clock: Clock): Promise<boolean> {
  const file = recordPath(registryDir, facts.agentId);
  if (!fs.existsSync(file)) return false;
  return locked(registryDir, clock, () => {
    const before = readRecord(registryDir, facts.agentId);
    if (!before || before === 'malformed' || before.generation_id !== facts.generationId) return false;
    fs.rmSync(file);
    fs.rmSync(besideOf(file), { force: true });
    try {
      fs.rmdirSync(path.dirname(file));
    } catch (error) {
      if (errnoOf(error) !== 'ENOTEMPTY') throw internal('the registry cannot be cleaned', { cause: error });
    }
    return true;
  });
}
