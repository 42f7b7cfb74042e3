import { describe, expect, it } from 'vitest';
import { type Fixture, loadFixtures } from '../../test/screen/captured-fixtures.ts';
import { drawSkin, randomSkin, type Skin, type SkinState } from '../../test/screen/random-skin.ts';
import { Seeded } from '../../test/support/seeded.ts';
import { detectorFor } from '../tools/index.ts';
import { CALIBRATION_MARKER, calibrate, mayCalibrate, readsMark } from './calibrate.ts';
import type { Detector } from './detector.ts';
import { Row, rowAt, type Screen } from './model/screen.ts';
import { PLAIN } from './model/style.ts';
import { observe } from './observe.ts';
import { decideReadiness } from './turn/readiness.ts';

const SKINS = Array.from({ length: 300 }, (_, seed) => randomSkin(seed));
const marker = CALIBRATION_MARKER;

function learn(skin: Skin) {
  const before = drawSkin(skin, 'ready', 0, 1);
  return calibrate({ before, marked: drawSkin(skin, 'marked', 0, 1, marker), after: before });
}

function isReady(screen: Screen, detector: Detector): boolean {
  const facts = observe({ screen, detector, process: { foreground: 'tool', version: '1.0.0' } });
  return decideReadiness(facts, { stable: true, calibrated: true }).ready;
}

describe('calibration on unknown screens', () => {
  it('calibration recognises ready in at least 99 of 100 unknown screens, and never reads a turn as ready', () => {
    const states: SkinState[] = ['ready', 'draft', 'tall_draft', 'busy', 'dialog', 'menu'];
    let right = 0;
    let all = 0;
    const wrong: string[] = [];
    for (const [seed, skin] of SKINS.entries()) {
      const learned = learn(skin);
      for (const state of states) {
        for (const turns of [0, 2]) {
          all++;
          const screen = drawSkin(skin, state, turns, seed + 7);
          const ready = learned.ok && isReady(screen, learned.detector);
          if (ready === (state === 'ready')) right++;
          else wrong.push(`${seed} ${state} ${turns}${learned.ok ? '' : ` (${learned.because})`}`);
          if (state !== 'ready') expect([seed, state, ready]).toEqual([seed, state, false]);
        }
      }
    }
    expect(right / all >= 0.99 ? [] : wrong.slice(0, 20)).toEqual([]);
  });

  it('calibration never types into a dialog', () => {
    for (const [seed, skin] of SKINS.entries()) {
      const dialog = drawSkin(skin, 'dialog', seed % 3, seed);
      expect([seed, mayCalibrate(dialog).ok]).toEqual([seed, false]);
      expect(calibrate({ before: dialog, marked: dialog, after: dialog }).ok).toBe(false);
    }
  });

  it('calibration fails if the marker did not appear, or erasing did not restore the screen', () => {
    for (const skin of SKINS.slice(0, 60)) {
      const before = drawSkin(skin, 'ready', 0, 1);
      const marked = drawSkin(skin, 'marked', 0, 1, marker);
      expect(calibrate({ before, marked: before, after: before }).ok).toBe(false);
      expect(calibrate({ before, marked, after: marked }).ok).toBe(false);
      expect(calibrate({ before, marked, after: drawSkin(skin, 'draft', 0, 1) }).ok).toBe(false);
    }
  });

  it('calibration fails if anything else on the screen changed', () => {
    for (const [seed, skin] of SKINS.slice(0, 60).entries()) {
      const before = drawSkin(skin, 'ready', 1, seed);
      const marked = drawSkin(skin, 'marked', 1, seed, marker);
      const other = drawSkin(skin, 'marked', 1, seed + 1, marker);
      expect([seed, calibrate({ before, marked: other, after: before }).ok]).toEqual([seed, false]);
      const after = drawSkin(skin, 'ready', 1, seed + 1);
      expect([seed, calibrate({ before, marked, after }).ok]).toEqual([seed, false]);
      const renamed = { ...before, title: 'something else' };
      expect(calibrate({ before, marked, after: renamed }).ok).toBe(false);
      const wider = { ...marked, columns: marked.columns + 1 };
      expect(calibrate({ before, marked: wider, after: before }).ok).toBe(false);
    }
  });

  it('calibration fails in a dialog with a field that filters its list', () => {
    const random = new Seeded(3);
    for (const skin of SKINS.slice(0, 40)) {
      const before = drawSkin(skin, 'ready', 2, 5);
      const marked = drawSkin(skin, 'marked', 2, 5 + random.below(1000) + 1, marker);
      expect(calibrate({ before, marked, after: before }).ok).toBe(false);
    }
  });

  it('calibration does not type into a composer that holds a draft', () => {
    for (const skin of SKINS.slice(0, 60)) {
      const before = drawSkin(skin, 'draft', 0, 1);
      expect(mayCalibrate(before)).toMatchObject({ ok: false });
    }
  });
});

/** The screen with these letters where the cursor was, and nothing else of its placeholder. */
function marked(screen: Screen): Screen {
  const { x, y } = screen.cursor!;
  const row = rowAt(screen, y);
  const chars = [...row.slice(0, x).padEnd(x), ...marker];
  const styles = chars.map((_, at) => (at < x ? row.style(at) : PLAIN));
  const cursor = { ...screen.cursor!, x: x + marker.length };
  return { ...screen, rows: screen.rows.with(y, new Row(chars, styles)), cursor };
}

describe('an unknown version', () => {
  const fixtures = loadFixtures();
  const titled = (tool: string): Fixture =>
    fixtures.find((each) => each.tool === tool && each.state === 'completed-first')!;

  it.each(['claude', 'codex', 'gemini', 'qwen'])(
    'the screens of an unknown version of %s are read like those of known versions, once calibrated',
    (tool) => {
      const { screen } = titled(tool).capture;
      const detector = detectorFor(tool, { version: '99.0.0' });
      expect(readsMark(detector, { before: screen, marked: marked(screen), after: screen })).toBe(true);
      expect(readsMark(detector, { before: screen, marked: screen, after: screen })).toBe(false);
      expect(readsMark(detector, { before: screen, marked: marked(screen), after: marked(screen) })).toBe(
        false,
      );
      const codes = (seen: Screen, calibrated: boolean, by = detector): string[] => {
        const process = { foreground: 'tool' as const, version: '99.0.0' };
        const gate = decideReadiness(observe({ screen: seen, detector: by, process }), {
          stable: true,
          calibrated,
        });
        return gate.ready ? [] : gate.reasons.map(({ code }) => code);
      };
      expect(codes(screen, false)).toEqual(['unknown_version']);
      expect(codes(screen, true)).toEqual([]);
      const mute = { ...detector, signs: detector.signs.filter(({ means }) => means !== 'idle') };
      expect(codes({ ...screen, title: '' }, true, mute)).toContain('unknown_version');
    },
  );
});
