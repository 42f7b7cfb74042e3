import { describe, expect, it } from 'vitest';
import { detectorFor, detectorsOf, TOOLS, toolNames } from '../tools/index.ts';
import { compareVersions, isInRange, readVersion, versionStatus } from './version-range.ts';

const range = { from: '2.1.0', below: '2.2.0', seen: ['2.1.325'] };

describe('version ranges', () => {
  it('versions are read as tools print them', () => {
    expect(readVersion('2.1.325 (Claude Code)')).toEqual([2, 1, 325]);
    expect(readVersion('codex-cli 0.166.0')).toEqual([0, 166, 0]);
    expect(readVersion('v1.18')).toEqual([1, 18, 0]);
    expect(readVersion('nightly')).toBeUndefined();
  });

  it('versions are compared by number, not by letter', () => {
    expect(compareVersions('2.1.99', '2.1.325')).toBeLessThan(0);
    expect(compareVersions('2.1.325', '2.1.325')).toBe(0);
  });

  it('a version range is half open', () => {
    expect(isInRange('2.1.0', range)).toBe(true);
    expect(isInRange('2.2.0', range)).toBe(false);
    expect(isInRange('2.0.999', range)).toBe(false);
    expect(isInRange('who knows', range)).toBe(false);
  });

  it('a version is seen, in range, outside or assumed', () => {
    expect(versionStatus('2.1.325', range)).toBe('seen');
    expect(versionStatus('2.1.326', range)).toBe('in_range');
    expect(versionStatus('3.0.0', range)).toBe('outside');
    expect(versionStatus(undefined, range)).toBe('assumed');
  });

  it('the seen versions of every detector are in its range', () => {
    for (const { tool, versions } of TOOLS.flatMap(detectorsOf)) {
      for (const seen of versions.seen)
        expect([tool, seen, isInRange(seen, versions)]).toEqual([tool, seen, true]);
    }
  });

  it('the error for an unknown tool names the known tools', () => {
    expect(() => detectorFor('cluade')).toThrow(/no detector for tool "cluade"/);
    expect(toolNames()).toEqual(
      expect.arrayContaining(['claude', 'codex', 'gemini', 'opencode', 'scripted']),
    );
  });
});
