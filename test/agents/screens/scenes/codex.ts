import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Place } from '../../support/real-tools.ts';
import type { Scene, Visit } from '../scene.ts';
import {
  answered,
  answeredByItself,
  DECOYS,
  drafts,
  failing,
  overlay,
  pressed,
  streaming,
  three,
  vimScenes,
  working,
} from './common.ts';

/** Puts lines before the first table of the configuration. */
const config =
  (...lines: string[]) =>
  ({ home }: Place): void => {
    const file = path.join(home, '.codex', 'config.toml');
    fs.writeFileSync(file, `${lines.join('\n')}\n${fs.readFileSync(file, 'utf8')}`);
  };

/** Adds whole tables. */
const tables =
  (...lines: string[]) =>
  ({ home }: Place): void =>
    fs.appendFileSync(path.join(home, '.codex', 'config.toml'), `${lines.join('\n')}\n`);

const interrupted: Scene = {
  state: 'interrupted-answer',
  bring: async (stage) => {
    await streaming(stage);
    stage.keys('Escape');
    await stage.shows(/interrupted/);
    await stage.still();
  },
};

export const codex: Visit[] = [
  { tool: 'codex', setup: 'as it comes', columns: 90, rows: 28, scenes: three('first') },
  {
    tool: 'codex',
    setup: 'vim mode',
    columns: 80,
    rows: 24,
    configure: tables('[tui]', 'vim_mode_default = true'),
    scenes: [
      { state: 'ready-vim-first' },
      ...vimScenes().filter(({ state }) => state !== 'ready-vim-insert'),
    ],
  },
  { tool: 'codex', setup: 'narrow', columns: 50, rows: 20, scenes: three('narrow') },
  { tool: 'codex', setup: 'wide and tall', columns: 250, rows: 60, scenes: three('wide') },
  {
    tool: 'codex',
    setup: 'low, never asks',
    columns: 100,
    rows: 12,
    args: ['-a', 'never', '-s', 'danger-full-access'],
    scenes: three('low'),
  },
  {
    tool: 'codex',
    setup: 'sixteen colours',
    columns: 100,
    rows: 30,
    env: { COLORTERM: '', TERM: 'xterm' },
    scenes: three('few-colours'),
  },
  {
    tool: 'codex',
    setup: 'status line of many items, no alternate screen',
    columns: 130,
    rows: 32,
    args: ['--no-alt-screen'],
    configure: tables(
      '[tui]',
      'status_line = ["model-with-reasoning", "current-dir", "git-branch", "context-remaining", "used-tokens"]',
    ),
    scenes: three('statusline'),
  },
  {
    tool: 'codex',
    setup: 'without a title of its own',
    columns: 96,
    rows: 26,
    configure: tables('[tui]', 'terminal_title = []'),
    scenes: [
      { state: 'ready-untitled' },
      { state: 'completed-untitled' },
      { state: 'busy-untitled', bring: working() },
      { state: 'busy-streaming-untitled', bring: streaming },
    ],
  },
  { tool: 'codex', setup: 'drafts', columns: 96, rows: 26, scenes: drafts() },
  {
    tool: 'codex',
    setup: 'commands and overlays',
    columns: 120,
    rows: 34,
    scenes: [
      overlay('dialog-model-open', '/model'),
      overlay('dialog-permissions-open', '/permissions'),
      overlay('slash-menu-half', ['/', 'm', 'o'], ['C-u']),
      overlay('menu-shortcuts', ['?'], ['Escape']),
      overlay('bash-mode-empty', ['!'], ['BSpace']),
      { state: 'completed-after-overlays', bring: answered('A word after all that.') },
      interrupted,
      {
        state: 'permission-command',
        bring: async (stage) => {
          await stage.says('Please run it. [[escalate]][[sh=touch asked]]');
          await stage.shows(/1\. Yes/);
          await stage.pause(1_000);
        },
        trial: 'never',
        leave: pressed('Escape'),
      },
      { state: 'completed-decoy', bring: answered(`[[say=${DECOYS}]] please`) },
      { state: 'busy-streaming-words', bring: streaming },
      {
        state: 'ready-new-chat',
        bring: async (stage) => {
          await stage.command('/new');
          await stage.still();
        },
      },
      {
        state: 'busy-compacting',
        bring: async (stage) => {
          await answered('Something to remember. [[delay=100]]')(stage);
          stage.model.sideDelayMs = 8_000;
          stage.model.delayMs = 8_000;
          await stage.command('/compact');
          await stage.pause(2_500);
          stage.model.delayMs = 300;
        },
        leave: async (stage) => {
          stage.model.sideDelayMs = 0;
          await stage.still();
        },
      },
      { state: 'ready-compacted' },
    ],
  },
  {
    tool: 'codex',
    setup: 'plan mode',
    columns: 110,
    rows: 30,
    begin: async (stage) => {
      await stage.still();
      stage.keys('BTab');
      await stage.still();
    },
    scenes: three('plan'),
  },
  {
    tool: 'codex',
    setup: 'errors of the API',
    columns: 100,
    rows: 30,
    scenes: [
      failing('error-429-api', 429),
      failing('error-529-api', 529),
      failing('error-500-api', 500),
      failing('logged-out-401', 401),
      { state: 'completed-logged-in-again', bring: answered('A word afterwards.') },
      failing('logged-out-403', 403),
    ],
  },
  {
    tool: 'codex',
    setup: 'no key',
    columns: 100,
    rows: 30,
    configure: config(),
    env: { MOCK_API_KEY: '' },
    scenes: [{ state: 'logged-out-answered', bring: answeredByItself }],
  },
  {
    tool: 'codex',
    setup: 'queued while it works',
    columns: 76,
    rows: 22,
    scenes: [
      {
        state: 'busy-queued-tab',
        bring: async (stage) => {
          await working(8)(stage);
          stage.types('and then this');
          await stage.pause(400);
          stage.keys('Tab');
          await stage.pause(800);
        },
      },
      { state: 'completed-after-queue' },
    ],
  },
];
