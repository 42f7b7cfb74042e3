import * as path from 'node:path';
import type { Place } from '../../support/real-tools.ts';
import type { Stage, Visit } from '../scene.ts';
import {
  answered,
  DECOYS,
  drafts,
  editJson,
  failing,
  overlay,
  pressed,
  streaming,
  three,
  vimScenes,
  working,
} from './common.ts';

type Settings = Record<string, Record<string, unknown>>;

const configured =
  (room: string, values: object) =>
  ({ home }: Place): void =>
    editJson(path.join(home, '.qwen', 'settings.json'), (settings) => ({
      [room]: { ...(settings as Settings)[room], ...values },
    }));

/** It shows nothing for a while, then draws several times. */
const begin = async (stage: Stage): Promise<void> => {
  await stage.shows(/Type your|NORMAL mode|INSERT mode/);
  await stage.still();
};

const visits: Visit[] = [
  { tool: 'qwen', setup: 'as it comes', columns: 90, rows: 28, scenes: three('first') },
  {
    tool: 'qwen',
    setup: 'vim mode',
    columns: 80,
    rows: 24,
    configure: configured('general', { vimMode: true }),
    scenes: vimScenes(),
  },
  {
    tool: 'qwen',
    setup: 'narrow, yolo',
    columns: 50,
    rows: 24,
    args: ['--approval-mode', 'yolo'],
    scenes: three('narrow'),
  },
  {
    tool: 'qwen',
    setup: 'wide and tall, accepts edits',
    columns: 250,
    rows: 60,
    args: ['--approval-mode', 'auto-edit'],
    scenes: three('wide'),
  },
  { tool: 'qwen', setup: 'low', columns: 100, rows: 12, scenes: three('low') },
  {
    tool: 'qwen',
    setup: 'light theme, no footer',
    columns: 100,
    rows: 30,
    configure: configured('ui', { theme: 'GitHub Light', hideFooter: true }),
    scenes: three('light'),
  },
  {
    tool: 'qwen',
    setup: 'without a title of its own',
    columns: 110,
    rows: 30,
    configure: configured('ui', { hideWindowTitle: true, dynamicWindowTitle: false }),
    scenes: three('untitled'),
  },
  { tool: 'qwen', setup: 'drafts', columns: 96, rows: 26, scenes: drafts() },
  {
    tool: 'qwen',
    setup: 'commands and overlays',
    columns: 120,
    rows: 34,
    args: ['--approval-mode', 'default'],
    scenes: [
      overlay('dialog-theme-open', '/theme'),
      overlay('dialog-settings-open', '/settings'),
      overlay('slash-menu-half', ['/', 'm', 'e'], ['C-u']),
      overlay('bash-mode-empty', ['!'], ['Escape']),
      { state: 'completed-after-overlays', bring: answered('A word after all that.') },
      {
        state: 'typed-restored-answer',
        trial: 'never',
        leave: pressed('C-u'),
        bring: async (stage) => {
          await streaming(stage);
          stage.keys('Escape');
          await stage.still();
        },
      },
      {
        state: 'permission-command',
        bring: async (stage) => {
          await stage.says('Please run it. [[sh=touch asked]]');
          await stage.shows(/1\. (Yes|Allow)/);
          await stage.still();
        },
        trial: 'never',
        leave: pressed('Escape'),
      },
      { state: 'completed-decoy', bring: answered(`[[say=${DECOYS}]] please`) },
      { state: 'busy-streaming-words', bring: streaming },
      {
        state: 'ready-cleared',
        bring: async (stage) => {
          await stage.command('/clear');
          await stage.still();
        },
      },
      {
        state: 'busy-compacting',
        bring: async (stage) => {
          await answered('Something to remember.')(stage);
          stage.model.sideDelayMs = 8_000;
          await stage.command('/compress');
          await stage.pause(2_500);
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
    tool: 'qwen',
    setup: 'errors of the API',
    columns: 100,
    rows: 30,
    scenes: [
      failing('logged-out-401', 401),
      { state: 'completed-logged-in-again', bring: answered('A word afterwards.') },
      failing('logged-out-403', 403),
      failing('error-400-api', 400),
    ],
  },
  {
    tool: 'qwen',
    setup: 'queued while it works',
    columns: 76,
    rows: 22,
    scenes: [
      {
        state: 'busy-queued-twice',
        bring: async (stage) => {
          await working(8)(stage);
          stage.types('and then this');
          await stage.pause(400);
          stage.keys('Enter');
          await stage.pause(800);
        },
      },
      { state: 'completed-after-queue' },
    ],
  },
];

export const qwen: Visit[] = visits.map((visit) => ({ begin, ...visit }));
