import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pieces } from './keys.ts';
import { requireSessionName } from './names.ts';
import { readProblem, tmuxProblemOf } from './problem.ts';
import { parseSocket } from './socket.ts';
import { isAtLeast, readVersion } from './version.ts';
import { argvSequence, commandLine, formatLiteral } from './words.ts';

describe('tmux words', () => {
  it('in an argv word only a final semicolon is escaped', () => {
    expect(argvSequence([['a', ';', 'b;', 'c\\;', ';d'], ['e']])).toEqual([
      'a',
      '\\;',
      'b\\;',
      'c\\\\;',
      ';d',
      ';',
      'e',
    ]);
  });

  it("words of tmux's command language stay on one line", () => {
    const check = fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 8 }), { maxLength: 4 }),
      (words) => {
        expect(commandLine(words)).not.toMatch(/[\u0000-\u001f\u007f]/);
      },
    );
    void fc.assert(check);
  });

  it('in a format every # is doubled except before a bracket', () => {
    expect(['#(x)', '##', 'a#[b', '##[#', '#S#[#{x}'].map(formatLiteral)).toEqual([
      '##(x)',
      '####',
      'a#[b',
      '##[##',
      '##S#[##{x}',
    ]);
  });

  it('typed text is cut into pieces between characters', () => {
    const check = fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: 4, max: 20 }),
      (text, most) => {
        const cut = [...pieces(text, most)];
        expect(cut.join('')).toBe(text);
        expect(cut.every((piece) => piece !== '' && Buffer.byteLength(piece) <= most)).toBe(true);
      },
    );
    void fc.assert(check);
  });
});

describe('tmux facts', () => {
  it.each([
    ['tmux 3.3a', 3, 3],
    ['tmux 3.2', 3, 2],
    ['tmux next-3.7', 3, 7],
    ['tmux 3.10', 3, 10],
    ['tmux master', Number.POSITIVE_INFINITY, 0],
    ['tmux openbsd-7.4', Number.POSITIVE_INFINITY, 0],
  ])('the tmux version is read from %j', (answer, major, minor) => {
    expect(readVersion(answer)).toMatchObject({ major, minor });
    expect(isAtLeast(readVersion(answer), 3, 2)).toBe(true);
    expect(isAtLeast(readVersion('tmux 3.1c'), 3, 2)).toBe(false);
  });

  it.each([
    ["can't find session: a", 'no_session', 'not_found'],
    ['no such session: =a:', 'no_session', 'not_found'],
    ["can't find window: 7", 'no_window', 'not_found'],
    ["can't find pane: %9", 'no_pane', 'not_found'],
    ['target pane has exited', 'no_pane', 'not_found'],
    ['no server running on /tmp/x', 'no_server', 'not_found'],
    ['error connecting to /x (No such file or directory)', 'no_server', 'not_found'],
    ['server exited unexpectedly', 'no_server', 'not_found'],
    ['duplicate session: a', 'duplicate_session', 'conflict'],
    ['client is read-only', 'read_only_client', 'not_ready'],
    ['error connecting to /x (Permission denied)', 'failed', 'forbidden'],
    ['something new', 'failed', 'internal'],
    ['', 'failed', 'internal'],
  ])('the tmux message %j is read as %s', (stderr, problem, code) => {
    const error = readProblem('cmd', stderr);
    expect([tmuxProblemOf(error), error.code]).toEqual([problem, code]);
    expect(error.message).toMatch(/^tmux cmd: ./);
  });

  it('a tmux socket setting is a name or an absolute path', () => {
    expect(parseSocket(undefined)).toEqual({});
    expect(parseSocket('')).toEqual({});
    expect(parseSocket('rouse')).toEqual({ socketName: 'rouse' });
    expect(parseSocket('/run/t')).toEqual({ socketPath: '/run/t' });
    for (const bad of ['./t', 'a/b', 'a\nb']) expect(() => parseSocket(bad)).toThrow();
  });

  it('any session name that tmux does not change is accepted', () => {
    for (const name of ['a', 'A-b_c', 'HOUMAO-gpu-1', 'é日本', '0'])
      expect(requireSessionName(name)).toBe(name);
  });
});
