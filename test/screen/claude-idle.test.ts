import { describe, expect, it } from 'vitest';
import { Row, rowAt, type Screen } from '../../src/screen/model/screen.ts';
import { PLAIN } from '../../src/screen/model/style.ts';
import { observe } from '../../src/screen/observe.ts';
import { decideReadiness } from '../../src/screen/turn/readiness.ts';
import { detectorFor } from '../../src/tools/index.ts';
import { type Fixture, judge, loadFixtures } from './captured-fixtures.ts';

const named = (state: string): Fixture =>
  loadFixtures().find((each) => each.tool === 'claude' && each.state === state)!;

function withRow(screen: Screen, y: number, text: string): Screen {
  const chars = [...text];
  return {
    ...screen,
    rows: screen.rows.with(
      y,
      new Row(
        chars,
        chars.map(() => PLAIN),
      ),
    ),
  };
}

const lastBlankAbove = ({ rows, cursor }: Screen): number =>
  cursor!.y - 2 - (rows[cursor!.y - 2]!.blank ? 0 : 1);

describe('claude while nothing runs', () => {
  it('the signature of claude’s last turn does not depend on the hint above its composer', () => {
    const fixture = named('ready-cleared');
    const { screen } = fixture.capture;
    const hint = (text: string): Screen =>
      withRow(screen, lastBlankAbove(screen), text.padStart(screen.columns - 2));
    const signature = (seen: Screen): string => judge(fixture, seen).facts.turn_signature;
    expect(signature(hint('◐ medium · /effort'))).toBe(signature(screen));
    expect(signature(hint('some other hint'))).toBe(signature(screen));
    expect(judge(fixture, hint('◐ medium · /effort')).gate.ready).toBe(true);
  });

  it('claude is ready after /clear by its title or its status file, not by the empty screen alone', () => {
    const { tool, version, capture } = named('ready-cleared');
    const screen = { ...capture.screen, title: '' };
    const process = { foreground: 'tool' as const, version };
    const detector = detectorFor(tool, { version });
    const idle = {
      source: 'claude_status_file' as const,
      state: 'idle' as const,
      ageMs: 0,
      writerAlive: true,
    };
    const ready = (signals: (typeof idle)[]): boolean =>
      decideReadiness(observe({ screen, detector, process, signals }), { stable: true }).ready;
    expect([ready([idle]), ready([])]).toEqual([true, false]);
  });

  it('claude takes prompts while background agents run, although title and status file show busy', () => {
    const { tool, version, capture } = named('ready-background-agent');
    const process = { foreground: 'tool' as const, version };
    const detector = detectorFor(tool, { version });
    const busy = {
      source: 'claude_status_file' as const,
      state: 'busy' as const,
      ageMs: 0,
      writerAlive: true,
    };
    const ready = (screen: Screen): boolean =>
      decideReadiness(observe({ screen, detector, process, signals: [busy] }), { stable: true }).ready;
    expect(capture.screen.title).toMatch(/^[◐◑]/);
    expect(ready(capture.screen)).toBe(true);
    const waits = capture.screen.rows.findIndex(({ text }) => text.includes('background agent to finish'));
    expect(ready(withRow(capture.screen, waits, ''))).toBe(false);
  });

  it('the message of claude that it is logged out counts until another turn was answered', () => {
    const loggedOut = (state: string): string | null => judge(named(state)).facts.logged_out.value;
    expect(loggedOut('logged-out-401')).toBe('● Please run /login · API Error: 401 Invalid API key');
    expect(loggedOut('logged-out-answered')).toContain('Not logged in');
    expect(loggedOut('completed-logged-in-again')).toBeNull();
  });

  it('a status line of the user about interrupting does not make claude busy', () => {
    const { capture } = named('ready-statusline');
    const below = rowAt(capture.screen, capture.screen.cursor!.y + 2).text;
    expect([below.includes('esc to interrupt'), judge(named('ready-statusline')).gate.ready]).toEqual([
      true,
      true,
    ]);
  });
});
