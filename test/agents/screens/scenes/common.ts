import * as fs from 'node:fs';
import type { Scene, Stage } from '../scene.ts';

/** What is done the same way in every tool. */

/** A turn that lasts for a while. */
export const working =
  (seconds = 6, more = '') =>
  async (stage: Stage): Promise<void> => {
    await stage.says(`Take your time. [[delay=${seconds * 1000}]]${more}`);
    await stage.pause(1_500);
  };

/** A turn whose answer is being written word by word. */
export const streaming = async (stage: Stage): Promise<void> => {
  await stage.says('A long answer, please. [[delay=100]][[words=260]]');
  await stage.pause(2_500);
};

/** A turn that has ended. */
export const answered =
  (prompt: string) =>
  async (stage: Stage): Promise<void> => {
    await stage.says(prompt);
    await stage.still();
  };

/** A prompt that never reaches the model. */
export const answeredByItself = async (stage: Stage): Promise<void> => {
  stage.pastes('Are you there?');
  await stage.pause(500);
  stage.keys('Enter');
  await stage.pause(2_000);
  await stage.still();
};

const typed = (state: string, text: string, clear: string[]): Scene => ({
  state,
  bring: async (stage) => {
    stage.types(text);
    await stage.still();
  },
  trial: 'never',
  leave: async (stage) => {
    stage.keys(...clear);
    await stage.still();
  },
});

/** Half-written prompts in many scripts; the last one is a composer that was emptied. */
export const drafts = (clear = ['C-u']): Scene[] => [
  typed('typed-arabic', 'مرحبا، هل يمكنك', clear),
  typed('typed-chinese', '请先看一下这个文件', clear),
  typed('typed-emoji', '👩‍👩‍👧 look 🎉', clear),
  typed('typed-hindi', 'नमस्ते दुनिया', clear),
  typed('typed-thai', 'สวัสดีชาวโลก', clear),
  typed('typed-one-dot', '.', clear),
  typed('typed-spaces', '   ', clear),
  { state: 'ready-after-drafts' },
];

/** Something that covers the composer, opened by a command or keys and closed again. */
export const overlay = (state: string, open: string | string[], close: string[] = ['Escape']): Scene => ({
  state,
  bring: async (stage) => {
    if (typeof open === 'string') await stage.command(open);
    else stage.keys(...open);
    await stage.still();
  },
  trial: 'never',
  leave: async (stage) => {
    stage.keys(...close);
    await stage.still();
  },
});

/** Answers that look like something else. */
export const DECOYS = [
  'This is what it printed:',
  'API Error: 401 Invalid API key',
  'Please run /login',
  'Not logged in',
  '❯ 1. Yes',
  '  2. No, esc to cancel',
  '✻ Thinking… (3s · esc to interrupt)',
  '⠋ Working...',
  '-- NORMAL --',
].join('\n');

export function editJson(file: string, change: (settings: Record<string, unknown>) => object): void {
  const settings = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
  fs.mkdirSync(file.slice(0, file.lastIndexOf('/')), { recursive: true });
  fs.writeFileSync(file, JSON.stringify({ ...settings, ...change(settings) }));
}

/** The three states that every configuration must distinguish. */
export const three = (suffix: string): Scene[] => [
  { state: `ready-${suffix}` },
  { state: `completed-${suffix}` },
  { state: `busy-${suffix}`, bring: working() },
];

/** A turn that the API refuses. */
export const failing = (state: string, status: number): Scene => ({
  state,
  bring: async (stage) => {
    await stage.says(`Please fail. [[error=${status}]]`);
    await stage.still();
  },
});

export const pressed =
  (...keys: string[]) =>
  async (stage: Stage): Promise<void> => {
    stage.keys(...keys);
    await stage.still();
  };

/** Editor modes of the composer. */
export const vimScenes = (): Scene[] => [
  { state: 'ready-vim-insert' },
  { state: 'ready-vim-normal', bring: pressed('Escape') },
  { state: 'completed-vim-normal', bring: pressed('Escape') },
  {
    state: 'typed-vim-normal',
    bring: async (stage) => {
      stage.types('i half a thought');
      await stage.pause(500);
      await pressed('Escape')(stage);
      await stage.shows(/half a thought/);
    },
    trial: 'never',
    leave: async (stage) => {
      stage.types('dd');
      await stage.still();
    },
  },
  { state: 'busy-vim', bring: working() },
];
