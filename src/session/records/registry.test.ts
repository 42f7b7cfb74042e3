import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock, newUuid, systemClock } from '../../base/index.ts';
import { type RegistryRecord, registryRecord } from '../../wire/index.ts';
import { refusalOf, sampleRecord, temporaryDirectory } from '../testing.ts';
import type { ManifestFacts } from './manifest-facts.ts';
import { amendRecord, publishRecord, removeRecord, renewLease, withLease } from './registry.ts';
import { readRecord, readRegistry, recordPath } from './registry-read.ts';

const HOUR = 3600 * 1000;
let directory: string;
let clock: FakeClock;

beforeEach(() => {
  directory = temporaryDirectory();
  clock = new FakeClock();
});
afterEach(() => {
  fs.rmSync(directory, { recursive: true, force: true });
});

const record = (sample: Parameters<typeof sampleRecord>[0] = {}): RegistryRecord =>
  sampleRecord(sample, clock.now());
const owner = (of: RegistryRecord): ManifestFacts =>
  ({ agentId: of.agent_id, generationId: of.generation_id }) as ManifestFacts;
const fresh = (): RegistryRecord[] => readRegistry(directory, clock.now().getTime()).fresh;

describe('publication', () => {
  it('a published record can be read by its owner only', async () => {
    const own = record();
    await publishRecord(directory, own, clock);
    expect(fresh()).toEqual([own]);
    const file = recordPath(directory, own.agent_id);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  });

  it('publication is refused while another generation has a fresh record', async () => {
    await publishRecord(directory, record(), clock);
    const refusal = await refusalOf(() => publishRecord(directory, record(), clock));
    expect(refusal).toMatchObject({ code: 'conflict', facts: { cause: 'agent_id_in_use' } });
  });

  it('publication replaces a record of the same generation, and of another once its lease has run out', async () => {
    const own = record();
    await publishRecord(directory, own, clock);
    await publishRecord(directory, { ...own, agent_name: 'renamed' }, clock);
    expect(fresh()[0]!.agent_name).toBe('renamed');
    await clock.advance(25 * HOUR);
    const next = record({ agentName: 'gpu' });
    await publishRecord(directory, next, clock);
    expect(fresh()[0]!.generation_id).toBe(next.generation_id);
  });

  it('publication with an expired lease is refused', async () => {
    const old = record();
    await clock.advance(25 * HOUR);
    expect((await refusalOf(() => publishRecord(directory, old, clock))).code).toBe('invalid');
  });

  it('publication of one id by many at once succeeds once', async () => {
    const now = systemClock.now();
    const tries = Array.from({ length: 12 }, () =>
      publishRecord(directory, sampleRecord({}, now), systemClock),
    );
    const outcomes = await Promise.allSettled(tries);
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    expect(readRegistry(directory, now.getTime()).fresh).toHaveLength(1);
  });

  it('publication puts a malformed file aside instead of failing on it, and keeps it', async () => {
    const own = record();
    const file = recordPath(directory, own.agent_id);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, '{ not json');
    expect(readRegistry(directory, 0).malformed).toEqual([file]);
    await publishRecord(directory, own, clock);
    expect(fresh()).toHaveLength(1);
    expect(fs.readdirSync(path.dirname(file)).some((name) => name.includes('.malformed-'))).toBe(true);
  });

  it('publication of an unchanged record with more than half of its lease left writes nothing', async () => {
    const own = record();
    await publishRecord(directory, own, clock);
    const before = fs.statSync(recordPath(directory, own.agent_id)).ino;
    await clock.advance(HOUR);
    await publishRecord(directory, withLease(own, clock.now(), 24 * HOUR), clock);
    expect(fs.statSync(recordPath(directory, own.agent_id)).ino).toBe(before);
    await clock.advance(12 * HOUR);
    await publishRecord(directory, withLease(own, clock.now(), 24 * HOUR), clock);
    expect(fresh()[0]!.published_at).toBe(clock.now().toISOString());
  });
});

describe('what belongs to a generation', () => {
  it('a record is removed and changed by its own generation only', async () => {
    const own = record();
    await publishRecord(directory, own, clock);
    const other = { ...owner(own), generationId: newUuid() };
    expect(await removeRecord(directory, other, clock)).toBe(false);
    expect(await amendRecord(directory, other, clock, (each) => ({ ...each, agent_name: 'x' }))).toBe(false);
    expect(fresh()).toEqual([own]);
    expect(await removeRecord(directory, owner(own), clock)).toBe(true);
    expect(fs.existsSync(path.dirname(recordPath(directory, own.agent_id)))).toBe(false);
    expect(await removeRecord(directory, owner(own), clock)).toBe(false);
  });

  it('a record gets a new lease of the same length once half of the old one has passed', async () => {
    const own = record();
    await publishRecord(directory, own, clock);
    expect(await renewLease(directory, owner(own), clock)).toBe(false);
    await clock.advance(13 * HOUR);
    expect(await renewLease(directory, owner(own), clock)).toBe(true);
    await clock.advance(23 * HOUR);
    expect(fresh()).toHaveLength(1);
    await clock.advance(2 * HOUR);
    expect(fresh()).toEqual([]);
    expect(await renewLease(directory, owner(own), clock)).toBe(false);
  });
});

describe('a record that a newer version wrote', () => {
  it('a record that a newer version wrote is never put aside or written over', async () => {
    const own = record({ agentId: 'a' });
    const file = recordPath(directory, 'a');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const newer = JSON.stringify({ ...own, schema_version: 3, another: 'field' });
    fs.writeFileSync(file, newer);
    await expect(publishRecord(directory, own, clock)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('was written by a newer version of Rouse (record version 3)'),
      hint: expect.stringContaining('update Rouse'),
    });
    expect(await removeRecord(directory, owner(own), clock)).toBe(false);
    expect(fs.readdirSync(path.dirname(file))).toEqual(['record.json']);
    expect(fs.readFileSync(file, 'utf8')).toBe(newer);
  });
});

describe('the quick reader agrees with the schema', () => {
  const changes: [string, (own: Record<string, unknown>) => Record<string, unknown>][] = [
    ['as published', (own) => own],
    ['an unknown key', (own) => ({ ...own, extra: 1 })],
    ['another version', (own) => ({ ...own, schema_version: 3 })],
    ['an id that is a path', (own) => ({ ...own, agent_id: '../x' })],
    ['no generation', (own) => ({ ...own, generation_id: 'x' })],
    ['a lease without a zone', (own) => ({ ...own, lease_expires_at: '2026-01-01T00:00:00' })],
    ['a lease before its publication', (own) => ({ ...own, lease_expires_at: '1999-01-01T00:00:00Z' })],
    ['a relative manifest', (own) => ({ ...own, runtime: { manifest_path: 'manifest.json' } })],
    ['another kind of terminal', (own) => ({ ...own, terminal: { kind: 'screen', session_name: 's' } })],
    ['an unknown backend', (own) => ({ ...own, identity: { backend: 'x', tool: 't' } })],
    ['half a gateway', (own) => ({ ...own, gateway: { host: '127.0.0.1', port: 1 } })],
    [
      'a gateway elsewhere',
      (own) => ({ ...own, gateway: { host: '10.0.0.1', port: 1, state_path: '/s', protocol_version: 'v1' } }),
    ],
    [
      'a gateway',
      (own) => ({
        ...own,
        gateway: { host: '127.0.0.1', port: 1, state_path: '/s', protocol_version: 'v1' },
      }),
    ],
    ['no optional parts', ({ gateway: _, mailbox: __, ...own }) => own],
    ['a list', () => [] as unknown as Record<string, unknown>],
  ];
  it.each(changes)('%s', (_, change) => {
    const own = { ...record({ agentId: 'a' }) } as Record<string, unknown>;
    const file = recordPath(directory, 'a');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const changed = change(own);
    fs.writeFileSync(file, JSON.stringify(changed));
    const read = readRecord(directory, 'a');
    expect(read !== 'malformed').toBe(registryRecord.safeParse(changed).success);
  });
});
