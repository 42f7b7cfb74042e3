import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readReason, standingOf } from '../../src/domain/index.ts';
import { classifyCapture } from '../../src/screen/index.ts';
import { detectorFor } from '../../src/tools/index.ts';
import { judge, loadFixtures } from './captured-fixtures.ts';

const FIXTURES = path.join(import.meta.dirname, 'fixtures');

function standing(text: string, file: string) {
  const [tool = '', version] = file.split('-');
  const seen = classifyCapture(text, file, (alternate) => detectorFor(tool, { version, alternate }), version);
  return { ready: seen.ready, ...standingOf({ tool, reasons: seen.detail.map(readReason) }) };
}

const ofFixture = (file: string) => standing(fs.readFileSync(path.join(FIXTURES, file), 'utf8'), file);
const files = fs.readdirSync(FIXTURES).filter((file) => file.endsWith('.ansi.txt'));

describe('screens on which a tool waits for a person', () => {
  it.each(files.filter((file) => /-logged-out-/.test(file)))(
    'a screen of %s that asks to log in needs a person',
    (file) => {
      const { ready, state, needs_you } = ofFixture(file);
      expect([ready, state]).toEqual([false, 'needs_you']);
      expect(needs_you).toMatch(/^log in to \w+ in its window; it says ".+"$/);
    },
  );

  it.each(files.filter((file) => /-trust-dialog/.test(file)))(
    'a screen of %s that asks to trust the folder needs a person',
    (file) => {
      expect(ofFixture(file)).toMatchObject({ ready: false, words: 'trust dialog' });
    },
  );

  it.each([
    ['claude-2.1.325-apikey-dialog.ansi.txt', 'API key dialog'],
    ['claude-2.1.325-dialog-first-theme-110x36.ansi.txt', 'first-run screen'],
    ['claude-2.1.325-dialog-first-notes-110x36.ansi.txt', 'first-run screen'],
    ['codex-0.166.0-dialog-first-login-110x36.ansi.txt', 'login dialog'],
    ['codex-0.166.0-dialog-update-110x36.ansi.txt', 'update dialog'],
    ['gemini-0.61.0-dialog-first-auth-110x36.ansi.txt', 'login dialog'],
    ['gemini-0.61.0-dialog-first-api-key-110x36.ansi.txt', 'login dialog'],
    ['qwen-0.24.4-dialog-first-provider-110x36.ansi.txt', 'login dialog'],
    ['qwen-0.24.4-dialog-first-access-110x36.ansi.txt', 'login dialog'],
    ['qwen-0.24.4-dialog-first-region-110x36.ansi.txt', 'first-run screen'],
    ['qwen-0.24.4-dialog-auth-120x40.ansi.txt', 'login dialog'],
    ['claude-2.1.325-dialog-login-100x30.ansi.txt', 'login dialog'],
    ['codex-0.166.0-dialog-login.ansi.txt', 'login dialog'],
    ['gemini-0.61.0-dialog-auth-120x40.ansi.txt', 'login dialog'],
    ['kimi-2.1.0-dialog-login-100x30.ansi.txt', 'login dialog'],
    ['pi-0.73.1-dialog-login-100x30.ansi.txt', 'login dialog'],
  ])('%s: %s', (file, words) => {
    expect(ofFixture(file)).toMatchObject({ ready: false, state: 'needs_you', words });
  });

  it('every screen that is not ready has a reason in words', () => {
    const without = files
      .map((file) => ({ file, ...ofFixture(file) }))
      .filter(({ ready, words }) => (ready ? words !== 'idle' : words === 'idle' || words === 'not ready'));
    expect(without).toEqual([]);
  });
});

describe('a screen that is drawn in parts', () => {
  it.each(['qwen', 'gemini'])(
    'a running turn of %s whose composer is not drawn yet asks for nothing, and is never ready',
    (tool) => {
      const busy = loadFixtures().filter(
        (fixture) =>
          fixture.tool === tool && /^busy/.test(fixture.state) && fixture.text.includes('esc to cancel'),
      );
      expect(busy.length).toBeGreaterThan(5);
      for (const fixture of busy) {
        const { screen } = fixture.capture;
        const last = screen.rows.findLastIndex(({ text }) => text.includes('esc to cancel'));
        const { facts, gate } = judge(fixture, { ...screen, rows: screen.rows.slice(0, last + 1) });
        expect([gate.ready, facts.dialog.value ?? null], fixture.name).toEqual([false, null]);
      }
    },
  );
});
