import * as path from 'node:path';
import type { Place } from '../../support/real-tools.ts';
import type { Scene, Stage, Visit } from '../scene.ts';
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
  working,
} from './common.ts';

/** A short conversation is enough to be summarised. */
const configured =
  (more: object) =>
  ({ home }: Place): void =>
    editJson(path.join(home, '.pi', 'agent', 'settings.json'), () => ({
      compaction: { keepRecentTokens: 20 },
      ...more,
    }));

/** Waits until the previous turn is over. */
const settled = async (stage: Stage): Promise<void> => {
  await stage.pause(4_000);
  await stage.still();
};

const turns = (suffix: string): Scene[] => [
  ...three(suffix),
  { state: `completed-long-${suffix}`, bring: answered('A long answer, please. [[words=300]]') },
  { state: `completed-decoy-${suffix}`, bring: answered(`Please. [[say=${DECOYS}]]`) },
  { state: `busy-streaming-${suffix}`, bring: streaming, leave: settled },
  {
    state: `busy-command-${suffix}`,
    bring: async (stage) => {
      await stage.says('Run this. [[sh=sleep 8]]');
      await stage.pause(3_000);
    },
    // Enter steers: the model receives the text when the command ends.
    trial: 'never',
    leave: async (stage) => {
      await stage.pause(6_000);
      await stage.still();
    },
  },
  { state: `completed-command-${suffix}` },
  {
    state: `busy-queued-${suffix}`,
    bring: async (stage) => {
      await working(8)(stage);
      stage.types('and then this');
      stage.keys('Enter');
      await stage.pause(1_000);
    },
    leave: settled,
  },
  {
    state: `interrupted-${suffix}`,
    bring: async (stage) => {
      await working(20)(stage);
      await pressed('Escape')(stage);
    },
  },
  {
    state: `busy-bash-${suffix}`,
    bring: async (stage) => {
      await stage.command('!sleep 6');
      await stage.pause(1_500);
    },
    trial: 'never',
    leave: async (stage) => {
      await stage.pause(5_000);
      await stage.still();
    },
  },
  { state: `completed-bash-${suffix}` },
  {
    state: `busy-retrying-${suffix}`,
    bring: async (stage) => {
      await stage.says('Please fail. [[error=529]]');
      await stage.pause(1_500);
    },
    trial: 'never',
    leave: async (stage) => {
      await stage.pause(1_000);
      stage.keys('Escape');
      await stage.still();
    },
  },
  { state: `error-529-${suffix}` },
  {
    state: `busy-compacting-${suffix}`,
    bring: async (stage) => {
      stage.model.sideDelayMs = 8_000;
      await stage.command('/compact');
      await stage.pause(2_500);
    },
    trial: 'never',
    leave: async (stage) => {
      await stage.pause(7_000);
      await stage.still();
    },
  },
  { state: `completed-compacted-${suffix}` },
  failing(`logged-out-401-${suffix}`, 401),
  failing(`error-400-${suffix}`, 400),
];

const menus: Scene[] = [
  overlay('slash-menu-first', ['/'], ['C-u', 'Escape']),
  overlay('at-menu-first', ['-l', '@'], ['C-u', 'Escape']),
  overlay('dialog-settings', '/settings'),
  overlay('dialog-model', '/model'),
  overlay('dialog-tree', '/tree'),
  overlay('dialog-resume', '/resume'),
  overlay('bash-mode-first', ['-l', '!ls'], ['C-u']),
  ...drafts(),
];

export const pi: Visit[] = [
  {
    tool: 'pi',
    setup: 'as it comes',
    columns: 90,
    rows: 28,
    configure: configured({}),
    scenes: [...turns('first'), ...menus],
  },
  {
    tool: 'pi',
    setup: 'regular mode',
    columns: 96,
    rows: 27,
    configure: configured({ tuiMode: 'regular' }),
    scenes: [...turns('regular'), ...menus],
  },
];
