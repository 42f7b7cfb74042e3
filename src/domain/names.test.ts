import { describe, expect, it } from 'vitest';
import { hostNameOf, isName, type NameKind } from './names.ts';

const KINDS: NameKind[] = ['agent', 'session', 'person', 'host', 'org'];

describe('a name', () => {
  it('no kind of name allows a piece of shell, a flag, a path or a second line', () => {
    const bad = [
      '$(touch /tmp/x)',
      '`id`',
      'a;b',
      "a'b",
      'a"b',
      'a|b',
      'a&b',
      'a>b',
      '-rf',
      '../x',
      'a\nb',
      '',
      'a\\b',
    ];
    for (const kind of KINDS)
      for (const text of bad) expect(isName(kind, text), `${kind} ${text}`).toBe(false);
  });

  it('the names that people and programs use are valid', () => {
    expect(isName('agent', 'worker_1-b')).toBe(true);
    expect(isName('session', 'joined-claude-20260131-080000Z-0a1b2c3d')).toBe(true);
    expect(isName('person', 'Ána Núñez')).toBe(true);
    expect(isName('person', 'ana+ops@example.org')).toBe(true);
    expect(isName('host', 'build-7.example.org')).toBe(true);
    expect(isName('org', 'research')).toBe(true);
  });

  it('any machine name becomes a valid host name', () => {
    for (const [said, system, name] of [
      ["Ana's laptop", 'x', 'Ana-s laptop'],
      ['$(id)', 'x', 'id-'],
      [undefined, 'build_7.example.org', 'build_7.example.org'],
      ['', '---', 'localhost'],
    ] as const) {
      expect(hostNameOf(said, system)).toBe(name);
      expect(isName('host', hostNameOf(said, system))).toBe(true);
    }
    expect(() => hostNameOf('a\nb', 'x')).toThrow('ROUSE_HOST_NAME');
  });
});
