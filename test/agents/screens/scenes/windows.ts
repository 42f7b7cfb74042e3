import * as path from 'node:path';
import { type Place, REAL_TOOLS, type RealTool } from '../../support/real-tools.ts';
import type { Scene, Stage, Visit } from '../scene.ts';
import { answered, editJson, streaming, working } from './common.ts';

/** An answer whose rows look like those that tools show while they work. */
const SOUNDS_BUSY = [
  'This is what it printed:',
  '⠋ Thinking... (esc to cancel, 3s)',
  '⠋ Working...',
  '• Working (3s • esc to interrupt)',
  '○ Working esc esc interrupt',
  '✻ Thinking… (3s · esc to interrupt)',
].join('\n');

/** An answer whose rows look like those that tools show while they ask or wait. */
const SOUNDS_ASKING = [
  'This is what it printed:',
  'Do you want to proceed?',
  '❯ 1. Yes',
  '  2. No (esc)',
  '△ Permission required',
  'Waiting for user confirmation...',
  'Press Ctrl-C again to exit',
  'You have hit your session limit · resets 3am (UTC)',
].join('\n');

/** The states to be distinguished in every window; each is followed by a real paste. */
const scenes = (suffix: string): Scene[] => [
  { state: `ready-${suffix}` },
  {
    state: `typed-${suffix}`,
    bring: async (stage) => {
      stage.types('half a thought');
      await stage.shows(/half a thought/);
      await stage.still();
    },
  },
  { state: `completed-${suffix}` },
  { state: `completed-decoy-${suffix}`, bring: answered(`Please. [[say=${SOUNDS_BUSY}]]`) },
  { state: `busy-${suffix}`, bring: working(4) },
  { state: `busy-streaming-${suffix}`, bring: streaming },
];

/** The same with another answer, and with a draft while a turn runs. */
const scenesWithAsking = (suffix: string): Scene[] => [
  ...scenes(suffix),
  { state: `completed-decoy-asks-${suffix}`, bring: answered(`Please. [[say=${SOUNDS_ASKING}]]`) },
  {
    state: `busy-typed-${suffix}`,
    bring: async (stage) => {
      await working(6)(stage);
      stage.types('half a thought');
      await stage.pause(1_000);
    },
  },
];

const inJson =
  (file: string, room: string | undefined, theme: string) =>
  ({ home }: Place): void =>
    editJson(path.join(home, file), (settings) =>
      room === undefined ? { theme } : { [room]: { ...(settings[room] as object | undefined), theme } },
    );

/** How a person with a light terminal configures it; the other tools ask the terminal. */
const LIGHT: Record<string, (place: Place) => void> = {
  claude: inJson('.claude.json', undefined, 'light'),
  gemini: inJson('.gemini/settings.json', 'ui', 'Default Light'),
  qwen: inJson('.qwen/settings.json', 'ui', 'Qwen Light'),
  pi: inJson('.pi/agent/settings.json', undefined, 'light'),
};

/** A palette of sixteen colours, or another dark one, if the tool has one. */
const PALETTE: Record<string, (place: Place) => void> = {
  claude: inJson('.claude.json', undefined, 'dark-ansi'),
  gemini: inJson('.gemini/settings.json', 'ui', 'ANSI'),
  qwen: inJson('.qwen/settings.json', 'ui', 'ANSI'),
  opencode: inJson('.config/opencode/tui.json', undefined, 'gruvbox'),
};

/** Without colours its suggested next prompt looks like a draft, and is taken for one. */
const withoutGuesses = ({ home }: Place): void =>
  editJson(path.join(home, '.qwen', 'settings.json'), (settings) => ({
    ui: { ...(settings['ui'] as object | undefined), enableFollowupSuggestions: false },
  }));

const ASKS_TRUST = /\btrust\b/i;
/** These show nothing for a while, then draw several times. */
const COMPOSER: Record<string, RegExp> = { gemini: /Type your/, qwen: /Type your/ };

/** Waits until it takes prompts; answers the questions of a first start that cannot be avoided. */
const begin =
  (tool: string) =>
  async (stage: Stage): Promise<void> => {
    const { asksAtStart, trustRow } = (REAL_TOOLS as Record<string, RealTool>)[tool]!;
    await stage.shows(asksAtStart ? ASKS_TRUST : (COMPOSER[tool] ?? /\S/));
    await stage.still();
    while (asksAtStart && ASKS_TRUST.test(stage.text())) {
      stage.keys(trustRow!.test(stage.text()) ? 'Enter' : 'Down');
      await stage.still();
    }
  };

const TOOLS = ['copilot', 'gemini', 'qwen', 'pi', 'codex', 'claude', 'kimi', 'opencode'];

/** Windows of other sizes and colours than those the detectors were written for. */
export const windows: Visit[] = TOOLS.flatMap((tool): Visit[] => {
  const [light, palette] = [LIGHT[tool], PALETTE[tool]];
  const colourless = {
    env: { NO_COLOR: '1', COLORTERM: '' },
    ...(tool === 'qwen' && { configure: withoutGuesses }),
  };
  const visits: Omit<Visit, 'tool'>[] = [
    { setup: 'window: narrow and low', columns: 60, rows: 18, scenes: scenes('small') },
    {
      setup: 'window: without colour',
      columns: 80,
      rows: 24,
      ...colourless,
      scenes: scenes('no-colour'),
    },
    {
      setup: 'window: light',
      columns: 72,
      rows: 22,
      env: { COLORFGBG: '0;15' },
      ...(light && { configure: light }),
      scenes: scenes('light-window'),
    },
    {
      setup: 'window: wide, without colour',
      columns: 200,
      rows: 50,
      ...colourless,
      scenes: scenes('wide-no-colour'),
    },
    {
      setup: 'window: low, sixteen colours',
      columns: 132,
      rows: 15,
      env: { COLORTERM: '', TERM: 'screen' },
      ...(palette && { configure: palette }),
      scenes: scenes('low-palette'),
    },
    {
      setup: 'window: smallest, dark',
      columns: 60,
      rows: 15,
      env: { COLORFGBG: '15;0' },
      scenes: scenesWithAsking('smallest'),
    },
    {
      setup: 'window: monochrome terminal',
      columns: 100,
      rows: 30,
      ...colourless,
      env: { COLORTERM: '', TERM: 'vt220' },
      scenes: scenesWithAsking('monochrome'),
    },
    {
      setup: 'window: light, wide and tall',
      columns: 160,
      rows: 45,
      env: { COLORFGBG: '0;15' },
      ...(light && { configure: light }),
      scenes: scenesWithAsking('light-wide'),
    },
    {
      setup: 'window: light, narrow, without colour',
      columns: 66,
      rows: 20,
      ...colourless,
      env: { ...colourless.env, COLORFGBG: '0;15' },
      scenes: scenesWithAsking('light-no-colour'),
    },
    {
      setup: 'window: middling, sixteen colours',
      columns: 90,
      rows: 26,
      env: { COLORTERM: '', TERM: 'xterm' },
      ...(palette && { configure: palette }),
      scenes: scenesWithAsking('middling'),
    },
    {
      setup: 'window: light, narrow and tall',
      columns: 76,
      rows: 42,
      env: { COLORFGBG: '0;15' },
      ...(light && { configure: light }),
      scenes: scenesWithAsking('light-tall'),
    },
    {
      setup: 'window: wide and low, without colour',
      columns: 150,
      rows: 17,
      ...colourless,
      scenes: scenesWithAsking('low-no-colour'),
    },
  ];
  return visits.map((visit) => ({ tool, begin: begin(tool), ...visit }));
});
