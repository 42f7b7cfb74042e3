import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/index.ts';
import { refusalOf, sampleManifest, temporaryDirectory, writeSession } from '../testing.ts';
import { readManifestFacts, tryManifestFacts } from './manifest-facts.ts';
import { createManifest, readManifest, updateManifest } from './manifest-store.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => {
  fs.rmSync(directory, { recursive: true, force: true });
});

describe('the quick facts of a manifest', () => {
  it('the quick facts of a manifest equal those of the whole schema', () => {
    const file = writeSession(directory, sampleManifest());
    const whole = readManifest(path.dirname(file));
    expect(readManifestFacts(file)).toMatchObject({
      root: path.dirname(file),
      backend: whole.backend,
      agentName: whole.agent_name,
      agentId: whole.agent_id,
      tmuxSessionName: whole.tmux_session_name,
      sessionId: whole.runtime?.session_id,
      generationId: whole.registry_generation_id,
    });
  });

  const damaged: [string, (own: Record<string, unknown>) => unknown][] = [
    ['another version', (own) => ({ ...own, schema_version: 3 })],
    ['an unknown backend', (own) => ({ ...own, backend: 'telepathy' })],
    ['no name', (own) => ({ ...own, agent_name: null })],
    ['no id', (own) => ({ ...own, agent_id: '' })],
    ['no tmux session', (own) => ({ ...own, tmux_session_name: 7 })],
    ['two tmux sessions', (own) => ({ ...own, tmux: { session_name: 'other' } })],
    ['no tmux part', (own) => ({ ...own, tmux: [] })],
    ['a list', () => []],
    ['nothing', () => null],
  ];
  it.each(damaged)('the facts of %s are refused, and skipped when many are read', async (_, change) => {
    const file = writeSession(directory, sampleManifest());
    const own = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>;
    fs.writeFileSync(file, JSON.stringify(change(own)));
    expect((await refusalOf(() => readManifestFacts(file))).code).toMatch(/^(invalid|conflict)$/);
    expect(tryManifestFacts(file)).toBeUndefined();
  });

  it.each([
    ['a list', (file: string) => fs.writeFileSync(file, '[]')],
    ['half a file', (file: string) => fs.writeFileSync(file, '{"tmux":')],
    ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
    ['a directory', (file: string) => fs.mkdirSync(file)],
  ])(
    'the quick facts of a manifest are refused when the file beside it is %s: the tmux server would be unknown',
    async (_, plant) => {
      const file = writeSession(directory, sampleManifest());
      const beside = path.join(path.dirname(file), 'manifest.rouse.json');
      fs.rmSync(beside, { force: true });
      plant(beside);
      const { code, message } = await refusalOf(() => readManifestFacts(file));
      expect([code, message]).toEqual([
        expect.stringMatching(/^(invalid|conflict)$/),
        expect.stringContaining(beside),
      ]);
      expect(tryManifestFacts(file)).toBeUndefined();
    },
  );

  it('the facts of a manifest of a newer version are refused, and the error names the version', async () => {
    const file = writeSession(directory, sampleManifest());
    const newer = {
      ...JSON.parse(fs.readFileSync(file, 'utf8')),
      schema_version: 5,
      backend: 'not known yet',
    };
    fs.writeFileSync(file, JSON.stringify(newer));
    expect(await refusalOf(() => readManifestFacts(file))).toMatchObject({
      code: 'unsupported',
      message: `${file} was written by a newer version of Rouse (manifest version 5)`,
      hint: expect.stringContaining('update Rouse'),
    });
    expect((await refusalOf(() => readManifest(path.dirname(file)))).hint).toContain(
      'another version of Rouse',
    );
  });

  it('the facts at a path that is relative, gone, or not a manifest.json are refused', async () => {
    for (const file of ['manifest.json', '/nowhere/manifest.json', '/etc/passwd']) {
      expect((await refusalOf(() => readManifestFacts(file))).code).toMatch(/^(invalid|not_found)$/);
    }
  });
});

describe('the manifest', () => {
  it('a manifest is made once, changed under its lock, and not written when nothing changes', async () => {
    createManifest(directory, sampleManifest());
    expect((await refusalOf(() => createManifest(directory, sampleManifest()))).code).toBe('conflict');
    const inode = () => fs.statSync(path.join(directory, 'manifest.json')).ino;
    const before = inode();
    await updateManifest(directory, systemClock, (manifest) => manifest);
    expect(inode()).toBe(before);
    await updateManifest(directory, systemClock, (manifest) => ({ ...manifest, role_name: 'x' }));
    expect([readManifest(directory).role_name, inode() === before]).toEqual(['x', false]);
    expect(fs.statSync(path.join(directory, 'manifest.json')).mode & 0o777).toBe(0o600);
  });

  it('a manifest keeps every change of many writers at once', async () => {
    createManifest(directory, sampleManifest());
    const turn = () =>
      updateManifest(directory, systemClock, (manifest) => ({
        ...manifest,
        local_interactive: {
          ...manifest.local_interactive!,
          turn_index: manifest.local_interactive!.turn_index + 1,
        },
      }));
    await Promise.all(Array.from({ length: 20 }, turn));
    expect(readManifest(directory).local_interactive?.turn_index).toBe(20);
  });

  it('a manifest refuses a change that breaks its rules, and stays as it was', async () => {
    createManifest(directory, sampleManifest());
    const broken = updateManifest(directory, systemClock, (manifest) => ({ ...manifest, agent_name: null }));
    expect((await refusalOf(() => broken)).code).toBe('invalid');
    expect(readManifest(directory).agent_name).toBe('gpu');
  });
});
