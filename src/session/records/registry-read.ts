import * as fs from 'node:fs';
import * as path from 'node:path';
import { errnoOf, readIfExists, readObjectIfAny } from '../../base/index.ts';
import { bareAgentName, isAgentIdentifier, isBackendKind, parseUtcTime } from '../../domain/index.ts';
import { besideOf, joinedFile, RECORD_BY } from '../../wire/files/beside.ts';
import type { RegistryRecord } from '../../wire/index.ts';

export const RECORD_VERSION = 2;

/**
 * Reads the shared registry. A record counts while its lease runs. Malformed and expired ones count as absent and are
 * listed separately. Checked by hand with the rules of the schema, because looking up an agent must be quick; what is
 * written is checked by the schema itself.
 */
export interface RegistryView {
  fresh: RegistryRecord[];
  expired: RegistryRecord[];
  /** Files that are not records. They are skipped, and put aside by the next publication unless a newer version wrote them. */
  malformed: string[];
}

/** One directory per agent. */
export function agentsDirectory(registryDir: string): string {
  return path.join(registryDir, 'live_agents');
}

export function recordPath(registryDir: string, agentId: string): string {
  return path.join(agentsDirectory(registryDir), agentId, 'record.json');
}

export function readRegistry(registryDir: string, nowMs: number): RegistryView {
  const view: RegistryView = { fresh: [], expired: [], malformed: [] };
  for (const agentId of agentIds(registryDir)) {
    const read = readRecord(registryDir, agentId);
    if (read === undefined) continue;
    if (read === 'malformed') view.malformed.push(recordPath(registryDir, agentId));
    else (isFresh(read, nowMs) ? view.fresh : view.expired).push(read);
  }
  return view;
}

function agentIds(registryDir: string): string[] {
  try {
    return fs.readdirSync(agentsDirectory(registryDir)).filter(isAgentIdentifier).sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** One record; undefined if there is none. The agent id in it must match its directory. */
export function readRecord(registryDir: string, agentId: string): RegistryRecord | 'malformed' | undefined {
  const file = recordPath(registryDir, agentId);
  const text = readIfExists(file);
  if (text === undefined) return undefined;
  try {
    const record: unknown = JSON.parse(text);
    if (!isRecord(record) || record.agent_id !== agentId) return 'malformed';
    return withSocket(record, file);
  } catch {
    return 'malformed';
  }
}

/** The tmux socket is in the file beside the record; version 0.1.0 wrote it into the record. */
function withSocket(record: RegistryRecord, file: string): RegistryRecord {
  const { terminal } = joinedFile({ ...record }, readObjectIfAny(besideOf(file)), RECORD_BY);
  return { ...record, terminal: terminal as RegistryRecord['terminal'] };
}

/** The version in a file that may not be a record. */
export function writtenVersion(file: string): number | undefined {
  try {
    const { schema_version: version } = JSON.parse(readIfExists(file) ?? '');
    return typeof version === 'number' ? version : undefined;
  } catch {
    return undefined;
  }
}

export function isFresh(record: RegistryRecord, nowMs: number): boolean {
  return parseUtcTime(record.lease_expires_at)! >= nowMs;
}

/** More than half of the lease has passed. */
export function leaseIsOld(record: RegistryRecord, nowMs: number): boolean {
  const from = parseUtcTime(record.published_at)!;
  const until = parseUtcTime(record.lease_expires_at)!;
  return nowMs > (from + until) / 2;
}

/** Agents with this name, in either spelling. */
export function byName(records: RegistryRecord[], name: string): RegistryRecord[] {
  return records.filter((record) => bareAgentName(record.agent_name) === bareAgentName(name));
}

export function byTmuxSession(records: RegistryRecord[], session: string): RegistryRecord[] {
  return records.filter((record) => record.terminal.session_name === session);
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isPath: Check = (value) => typeof value === 'string' && path.isAbsolute(value) && !value.includes('\0');
const isName: Check = (value) => typeof value === 'string' && isAgentIdentifier(value);
const isStamp: Check = (value) =>
  typeof value === 'string' && parseUtcTime(value) !== undefined && /([Zz]|[+-]\d{2}:?\d{2})$/.test(value);
const isOneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);
const isUuid: Check = (value) =>
  typeof value === 'string' && /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value);
const isPort: Check = (value) =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 65_535;
const isBackend: Check = (value) => typeof value === 'string' && isBackendKind(value);
const isMailbox: Check = (value) =>
  value !== null && typeof value === 'object' && 'transport' in value && isText(value.transport);

/** Allows only these keys. Those ending in `?` may be absent or null. */
function isShape(shape: Record<string, Check>): Check {
  const known = new Map(
    Object.entries(shape).map(([key, check]) => [
      key.replace('?', ''),
      { check, optional: key.endsWith('?') },
    ]),
  );
  return (value) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
    const object = value as Record<string, unknown>;
    return (
      Object.keys(object).every((key) => known.has(key)) &&
      [...known].every(([key, { check, optional }]) => (object[key] == null ? optional : check(object[key])))
    );
  };
}

const checkRecord = isShape({
  schema_version: isOneOf(RECORD_VERSION),
  agent_name: isName,
  agent_id: isName,
  generation_id: isUuid,
  published_at: isStamp,
  lease_expires_at: isStamp,
  identity: isShape({ backend: isBackend, tool: isText }),
  runtime: isShape({ manifest_path: isPath, 'session_root?': isPath, 'agent_def_dir?': isPath }),
  terminal: isShape({ kind: isOneOf('tmux'), session_name: isText, 'socket?': isText }),
  'gateway?': isShape({
    host: isOneOf('127.0.0.1', '0.0.0.0'),
    port: isPort,
    state_path: isPath,
    protocol_version: isOneOf('v1'),
  }),
  'mailbox?': isMailbox,
});

function isRecord(value: unknown): value is RegistryRecord {
  if (!checkRecord(value)) return false;
  const record = value as RegistryRecord;
  return parseUtcTime(record.lease_expires_at)! > parseUtcTime(record.published_at)!;
}
