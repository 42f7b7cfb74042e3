import type { Stage, Visit } from '../scene.ts';
import { drafts, failing, overlay, pressed, three, working } from './common.ts';

const trusts = async (stage: Stage): Promise<void> => {
  await stage.shows(/❯ \d\. Yes\b/);
  stage.keys('Down');
  await stage.shows(/❯ \d\. Yes, and remember/);
  stage.keys('Enter');
  await stage.still();
};

export const copilot: Visit[] = [
  {
    tool: 'copilot',
    setup: 'as it comes',
    columns: 90,
    rows: 28,
    begin: trusts,
    scenes: [
      ...three('first'),
      {
        state: 'interrupted-first',
        bring: async (stage) => {
          await stage.says('A long answer, please. [[delay=100]][[words=400]]');
          await stage.pause(2_500);
          // Both at once would be another key.
          stage.keys('Escape');
          await stage.pause(400);
          await pressed('Escape')(stage);
        },
      },
      {
        state: 'busy-queued-first',
        bring: async (stage) => {
          await working(8)(stage);
          stage.types('and then this');
          stage.keys('Enter');
          await stage.pause(1_000);
        },
        leave: async (stage) => {
          await stage.pause(8_000);
          await stage.still();
        },
      },
      {
        state: 'permission-first',
        bring: async (stage) => {
          await stage.says('Run this. [[sh=touch asked]]');
          await stage.shows(/❯ 1\. Yes/);
          await stage.still();
        },
        trial: 'never',
        leave: pressed('Escape'),
      },
      { state: 'permission-denied-first' },
      failing('logged-out-401-first', 401),
      failing('error-400-first', 400),
      overlay('slash-menu-first', ['-l', '/'], ['C-u', 'Escape']),
      overlay('at-menu-first', ['-l', '@'], ['C-u', 'Escape']),
      overlay('menu-help-first', ['-l', '?'], ['Escape']),
      overlay('bash-mode-first', ['-l', '!ls'], ['C-u', 'Escape']),
      {
        state: 'ready-cmd-model',
        bring: async (stage) => {
          await stage.command('/model');
          await stage.still();
        },
      },
      overlay('dialog-resume-first', '/resume'),
      {
        state: 'exit-armed-first',
        bring: async (stage) => {
          stage.keys('C-c');
          await stage.shows(/\bexit\b/);
        },
        trial: 'never',
        leave: async (stage) => {
          await stage.pause(5_000);
          await stage.still();
        },
      },
      ...drafts(),
      overlay('view-next-tab', ['Tab'], ['BTab']),
    ],
  },
];
