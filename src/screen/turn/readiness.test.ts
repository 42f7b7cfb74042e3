import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REASONS, reasonTexts } from '../../domain/index.ts';
import { detectorFor } from '../../tools/index.ts';
import type { Facts, ProcessFacts } from '../facts.ts';
import { parseSnapshot } from '../model/snapshot-parser.ts';
import { observe } from '../observe.ts';
import type { ToolSignal } from '../tool-signals.ts';
import { decideReadiness, type GatePolicy } from './readiness.ts';

const claude = detectorFor('claude');

const RULE = '─'.repeat(60);

interface Picture {
  above?: string[];
  text?: string;
  below?: string[];
  title?: string;
  cursorX?: number;
}

/** A claude-like screen, drawn by hand. */
function draw({
  above = ['● done', ''],
  text = '',
  below = ['  ? for shortcuts'],
  title = '✳ x',
  cursorX,
}: Picture = {}) {
  const lines = [...above, RULE, `❯ ${text}`, RULE, ...below];
  return parseSnapshot(`\u001b[1m\u001b[0m${lines.join('\n')}`, {
    columns: 60,
    height: lines.length,
    cursor: { x: cursorX ?? 2 + text.length, y: above.length + 1, visible: false },
    title,
  });
}

function look(picture: Picture = {}, process: Partial<ProcessFacts> = {}, signals: ToolSignal[] = []): Facts {
  return observe({
    screen: draw(picture),
    detector: claude,
    process: { foreground: 'tool', ...process },
    signals,
  });
}

const codes = (facts: Facts, policy: Partial<GatePolicy> = {}): string[] => {
  const gate = decideReadiness(facts, { stable: true, ...policy });
  return gate.ready ? [] : gate.reasons.map(({ code }) => code);
};

const busy: Picture = { above: ['✻ Working… (3s)', ''], below: ['  esc to interrupt'], title: '◐ x' };

describe('the readiness gate', () => {
  it('an agent with an empty composer is ready', () => {
    expect(codes(look())).toEqual([]);
  });

  it.each([
    ['a running turn', look(busy), ['busy_turn']],
    ['a draft', look({ text: 'half a sentence' }), ['draft']],
    ['a draft of spaces', look({ cursorX: 5 }), ['draft']],
    ['a draft while a turn runs', look({ ...busy, text: 'half' }), ['draft', 'busy_turn']],
    ['a help page', look({ below: ['1', '2', '3', '4', '5'] }), ['menu']],
    ['a form', look({ below: ['  enter submit · esc back'] }), ['dialog']],
    ['a pressed Ctrl-C', look({ below: ['  Press Ctrl-C again to exit'] }), ['exit_armed']],
    [
      'a usage limit',
      look({ above: ["\u001b[31m● You've hit your session limit · resets 3pm\u001b[39m", ''] }),
      ['usage_limit'],
    ],
    ['a person typing', look({}, { personTyping: true }), ['person_typing']],
    ['copy mode', look({}, { copyMode: true }), ['copy_mode']],
    ['a shell', look({}, { foreground: 'shell' }), ['shell_in_foreground']],
    ['a tool that ended', look({}, { foreground: 'gone' }), ['tool_gone']],
    ['another program', look({}, { foreground: 'other' }), ['other_program']],
    ['an unknown version', look({}, { version: '3.0.0' }), ['unknown_version']],
    [
      'a status file that reports busy',
      look({}, {}, [{ source: 'claude_status_file', state: 'busy', ageMs: 5 }]),
      ['busy_turn'],
    ],
    [
      'a hook that reports busy',
      look({}, {}, [{ source: 'claude_hooks', state: 'busy', ageMs: 5, isEvent: true }]),
      ['busy_turn'],
    ],
    [
      'a status file that reports a question to a person',
      look({}, {}, [{ source: 'claude_status_file', state: 'waiting', ageMs: 5 }]),
      ['dialog', 'contradiction'],
    ],
  ])('an agent is not ready with %s', (_, facts, expected) => {
    expect(codes(facts)).toEqual(expected);
  });

  it('an agent with an unrecognised screen, or none, is not ready', () => {
    const blind = observe({ screen: undefined, detector: claude, process: { foreground: 'tool' } });
    expect(codes(blind)).toEqual(['unknown_screen']);
    const noise = parseSnapshot('hello\nworld', { cursor: { x: 0, y: 1 } });
    expect(codes(observe({ screen: noise, detector: claude, process: { foreground: 'tool' } }))).toEqual([
      'unknown_screen',
    ]);
  });

  it('an agent is not ready while its screen moves, or a noted prompt has not been seen', () => {
    expect(codes(look(), { stable: false })).toEqual(['unstable_screen']);
    expect(codes(look(), { turnPhase: 'active' })).toEqual(['busy_turn']);
  });

  it('doubtful evidence of a turn yields if the composer was still and empty for long', () => {
    const facts = look({}, {}, [{ source: 'claude_hooks', state: 'busy', ageMs: 9000, isEvent: true }]);
    expect(codes(facts, { turnPhase: 'ready' })).toEqual([]);
    expect(codes(look(busy), { turnPhase: 'ready' })).toEqual(['busy_turn']);
  });

  it('the policy always skips busy, unstable and pending input, and nothing else', () => {
    const always = { admission: 'always' as const, stable: false };
    expect(codes(look(busy), always)).toEqual([]);
    const pending = look({ ...busy, above: ['❯ next', '  ctrl+x ctrl+s to send now', '', '✻ Working…', ''] });
    expect(codes(pending, always)).toEqual([]);
    expect(codes(pending, { admission: 'if_no_pending' })).toEqual(['pending_input']);
    for (const facts of [
      look({ text: 'draft' }),
      look({ below: ['  enter submit · esc back'] }),
      look({}, { foreground: 'shell' }),
      look({}, { foreground: 'gone' }),
      look({}, { copyMode: true }),
      look({}, { personTyping: true }),
      look({}, { version: '3.0.0' }),
      observe({ screen: undefined, detector: claude, process: { foreground: 'tool' } }),
    ]) {
      expect(codes(facts, always)).not.toEqual([]);
    }
  });

  it('a calibrated version is ready, and so is an agent whose usage limit is over', () => {
    expect(codes(look({}, { version: '3.0.0' }), { calibrated: true })).toEqual([]);
    const limited = look({ above: ["\u001b[31m● You've hit your session limit · resets 3pm\u001b[39m", ''] });
    expect(codes(limited, { limit: null })).toEqual([]);
  });

  it("each readiness reason has the form name='value', on one line and without extra quotes", () => {
    const gate = decideReadiness(look({ text: 'x' }, { version: "9'9\n9" }), { stable: false });
    const fragments = gate.ready ? [] : reasonTexts(gate.reasons);
    expect(fragments).toHaveLength(3);
    for (const fragment of fragments) expect(fragment).toMatch(/^\w+='[^'\n]*'$/);
  });

  it('readiness reasons come from a closed list, in its order', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<ProcessFacts['foreground']>('tool', 'shell', 'gone', 'other', 'unknown'),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom(busy, { text: 'draft' }, { below: ['1', '2', '3', '4', '5'] }, {}),
        (foreground, copyMode, personTyping, stable, picture) => {
          const found = codes(look(picture, { foreground, copyMode, personTyping }), { stable });
          const places = found.map((code) => Object.keys(REASONS).indexOf(code));
          expect(places).not.toContain(-1);
          expect(places).toEqual([...places].sort((a, b) => a - b));
          const clean = foreground === 'tool' || foreground === 'unknown';
          if (!clean || copyMode || personTyping || !stable || Object.keys(picture).length > 0)
            expect(found).not.toEqual([]);
        },
      ),
    );
  });
});
