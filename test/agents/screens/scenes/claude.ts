import * as path from 'node:path';
import type { Scene, Stage, Visit } from '../scene.ts';
import {
  answered,
  answeredByItself,
  DECOYS,
  drafts,
  editJson,
  failing,
  overlay,
  streaming,
  three,
  vimScenes,
  working,
} from './common.ts';

const settings = (home: string): string => path.join(home, '.claude', 'settings.json');

const statusLine =
  (...rows: string[]) =>
  ({ home }: { home: string }): void =>
    editJson(settings(home), () => ({
      statusLine: { type: 'command', command: `printf '%s\\n' ${rows.map((row) => `'${row}'`).join(' ')}` },
    }));

const theme =
  (name: string) =>
  ({ home }: { home: string }): void => {
    editJson(path.join(home, '.claude.json'), () => ({ theme: name }));
    editJson(settings(home), () => ({ theme: name }));
  };

const vim = ({ home }: { home: string }): void => {
  editJson(path.join(home, '.claude.json'), () => ({ editorMode: 'vim' }));
  editJson(settings(home), () => ({ editorMode: 'vim' }));
};

const escaped = async (stage: Stage): Promise<void> => {
  stage.keys('Escape');
  await stage.still();
};

const interrupted = async (stage: Stage): Promise<void> => {
  await streaming(stage);
  stage.keys('Escape');
  await stage.shows(/Interrupted/);
  await stage.still();
};

const permission: Scene = {
  state: 'permission-bash',
  bring: async (stage) => {
    await stage.says('Please run it. [[sh=touch asked]]');
    await stage.shows(/Do you want/);
    await stage.still();
  },
  trial: 'never',
  leave: escaped,
};

const args = (given: object): string => `[[args=${JSON.stringify(given)}]]`;

const ASK = args({
  questions: [
    {
      question: 'Which one?',
      header: 'One',
      multiSelect: false,
      options: [
        { label: 'First', description: 'the first' },
        { label: 'Second', description: 'the second' },
      ],
    },
  ],
});

const agent = (background: boolean): string =>
  `[[call=Agent]]${args({
    description: 'Look around',
    prompt: 'Look around slowly. ⟦delay=45000⟧',
    subagent_type: 'general-purpose',
    run_in_background: background,
  })}`;

const NO_RETRY = { CLAUDE_CODE_MAX_RETRIES: '0' };

export const claude: Visit[] = [
  { tool: 'claude', setup: 'as it comes', columns: 90, rows: 28, scenes: three('first') },
  {
    tool: 'claude',
    setup: 'vim mode',
    columns: 80,
    rows: 24,
    configure: vim,
    scenes: vimScenes(),
  },
  {
    tool: 'claude',
    setup: 'status line that speaks of interrupting',
    columns: 110,
    rows: 30,
    configure: statusLine('opus | main* | esc to interrupt | 12k tokens'),
    scenes: three('statusline'),
  },
  {
    tool: 'claude',
    setup: 'status line of three rows, plan mode',
    columns: 140,
    rows: 36,
    args: ['--permission-mode', 'plan'],
    configure: statusLine('project: demo (main)', 'tokens 12k / 200k', 'esc to interrupt · 3 files changed'),
    scenes: three('statusline-tall'),
  },
  {
    tool: 'claude',
    setup: 'narrow, plan mode',
    columns: 50,
    rows: 24,
    args: ['--permission-mode', 'plan'],
    scenes: three('narrow'),
  },
  {
    tool: 'claude',
    setup: 'wide and tall, accepts edits',
    columns: 250,
    rows: 60,
    args: ['--permission-mode', 'acceptEdits'],
    scenes: three('wide'),
  },
  {
    tool: 'claude',
    setup: 'low, bypasses permissions',
    columns: 100,
    rows: 12,
    args: ['--permission-mode', 'bypassPermissions'],
    env: { IS_SANDBOX: '1' },
    begin: async (stage) => {
      await stage.still();
      if (/accept/i.test(stage.text())) {
        stage.keys('Down');
        await stage.pause(300);
        stage.keys('Enter');
      }
      await stage.still();
    },
    scenes: three('low'),
  },
  ...['light', 'dark-ansi', 'light-daltonized'].map(
    (name): Visit => ({
      tool: 'claude',
      setup: `theme ${name}`,
      columns: 100,
      rows: 30,
      configure: theme(name),
      ...(name === 'dark-ansi' && { env: { COLORTERM: '' } }),
      scenes: three(`theme-${name}`),
    }),
  ),
  { tool: 'claude', setup: 'drafts', columns: 96, rows: 26, scenes: drafts() },
  {
    tool: 'claude',
    setup: 'commands and overlays',
    columns: 120,
    rows: 34,
    args: ['--permission-mode', 'default'],
    scenes: [
      overlay('dialog-config-open', '/config'),
      overlay('dialog-resume-open', '/resume'),
      overlay('dialog-permissions-open', '/permissions'),
      overlay('dialog-theme-open', '/theme'),
      overlay('slash-menu-half', ['/', 'c', 'o'], ['C-u']),
      overlay('menu-shortcuts', ['?'], ['Escape']),
      overlay('bash-mode-empty', ['!'], ['Escape']),
      { state: 'completed-after-overlays', bring: answered('A word after all that.') },
      overlay('view-transcript-open', ['C-o'], ['C-o']),
      overlay('search-history', ['C-r'], ['Escape']),
      { state: 'interrupted-answer', bring: interrupted },
      permission,
      {
        state: 'question-asked',
        bring: async (stage) => {
          await stage.says(`Ask me. [[call=AskUserQuestion]]${ASK}`);
          await stage.shows(/Which one/);
          await stage.still();
        },
        trial: 'never',
        leave: escaped,
      },
      { state: 'completed-decoy', bring: answered(`[[say=${DECOYS}]] please`) },
      { state: 'busy-streaming-words', bring: streaming },
      {
        state: 'view-agents',
        bring: async (stage) => {
          stage.keys('Left');
          await stage.pause(2_000);
        },
        trial: 'never',
        leave: escaped,
      },
    ],
  },
  {
    tool: 'claude',
    setup: 'cleared and compacted',
    columns: 100,
    rows: 30,
    scenes: [
      {
        state: 'ready-cleared',
        bring: async (stage) => {
          await answered('A word before.')(stage);
          await stage.command('/clear');
          await stage.still();
        },
      },
      {
        state: 'ready-cleared-again',
        bring: async (stage) => {
          await stage.command('/clear');
          await stage.pause(12_000);
        },
      },
      {
        state: 'busy-compacting',
        bring: async (stage) => {
          await answered('Something to remember.')(stage);
          await stage.command('/compact [[delay=8000]]');
          await stage.shows(/Compacting/);
          await stage.pause(1_000);
        },
      },
      { state: 'ready-compacted' },
    ],
  },
  {
    tool: 'claude',
    setup: 'work in the background',
    columns: 104,
    rows: 32,
    args: ['--permission-mode', 'bypassPermissions'],
    env: { IS_SANDBOX: '1' },
    begin: async (stage) => {
      await stage.still();
      if (/accept/i.test(stage.text())) {
        stage.keys('Down');
        await stage.pause(300);
        stage.keys('Enter');
      }
      await stage.still();
    },
    scenes: [
      {
        state: 'ready-background-shell',
        bring: async (stage) => {
          await stage.says(`Watch. [[call=Bash]]${args({ command: 'sleep 60', run_in_background: true })}`);
          await stage.shows(/MOCK-TOOL-DONE/);
          await stage.pause(3_000);
        },
      },
      {
        state: 'ready-background-agent',
        bring: async (stage) => {
          await stage.says(`Send an agent. ${agent(true)}`);
          await stage.received(/Look around slowly/);
          await stage.shows(/MOCK-TOOL-DONE/);
          await stage.pause(3_000);
        },
        leave: async (stage) => stage.pause(3_000),
      },
      {
        state: 'ready-background-agents',
        bring: async (stage) => {
          await stage.says(`Send an agent and wait. ${agent(false)}`);
          await stage.pause(4_000);
        },
      },
    ],
  },
  {
    tool: 'claude',
    setup: 'errors of the API',
    columns: 100,
    rows: 30,
    env: NO_RETRY,
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
    tool: 'claude',
    setup: 'errors of the API, retried',
    columns: 100,
    rows: 30,
    scenes: [
      {
        state: 'busy-retrying',
        bring: async (stage) => {
          await stage.says('Please fail. [[error=500]]');
          await stage.shows(/Retrying in/);
        },
        trial: 'never',
        leave: escaped,
      },
    ],
  },
  {
    tool: 'claude',
    setup: 'not logged in',
    columns: 100,
    rows: 30,
    env: { ANTHROPIC_AUTH_TOKEN: '' },
    scenes: [{ state: 'logged-out-answered', bring: answeredByItself }],
  },
  {
    tool: 'claude',
    setup: 'without a title of its own',
    columns: 100,
    rows: 30,
    env: { CLAUDE_CODE_DISABLE_TERMINAL_TITLE: '1' },
    scenes: three('untitled'),
  },
  {
    tool: 'claude',
    setup: 'queued while it works',
    columns: 76,
    rows: 22,
    scenes: [
      {
        state: 'busy-queued-twice',
        bring: async (stage) => {
          await working(8)(stage);
          stage.types('and then this');
          stage.keys('Enter');
          await stage.pause(800);
        },
      },
      { state: 'completed-after-queue' },
    ],
  },
];
