import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Place } from '../../support/real-tools.ts';
import type { Scene, Visit } from '../scene.ts';

/** What a tool shows at its first start, or before an update: nothing is configured, no one is logged in. */

const without =
  (...names: string[]) =>
  ({ home }: Place): void => {
    for (const name of names) fs.rmSync(path.join(home, name), { recursive: true, force: true });
  };

/** Waits until it shows this; the keys are pressed before. */
const shown = (state: string, says: RegExp, ...keys: string[]): Scene => ({
  state,
  bring: async (stage) => {
    if (keys.length > 0) stage.keys(...keys);
    await stage.shows(says);
    await stage.still();
  },
  trial: 'never',
});

const first = (tool: string, rest: Omit<Visit, 'tool' | 'setup' | 'columns' | 'rows'>): Visit => ({
  ...{ tool, setup: 'never used before', columns: 110, rows: 36 },
  ...rest,
});

const none = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, '']));

const COPILOT = ['BASE_URL', 'API_KEY', 'MAX_PROMPT_TOKENS', 'MAX_OUTPUT_TOKENS'].map(
  (name) => `COPILOT_PROVIDER_${name}`,
);

export const firstStarts: Visit[] = [
  // Without a login it contacts its maker before it shows anything.
  first('claude', {
    configure: without('.claude.json', '.claude'),
    scenes: [
      shown('dialog-first-theme', /text style/),
      shown('dialog-first-notes', /Security notes|Press Enter/, 'Enter'),
    ],
  }),
  first('codex', {
    configure: without('.codex/config.toml'),
    env: none('MOCK_API_KEY'),
    scenes: [shown('dialog-first-login', /Sign in with ChatGPT/)],
  }),
  first('gemini', {
    configure: without('.gemini'),
    env: none('GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GEMINI_CLI_TRUST_WORKSPACE'),
    scenes: [
      shown('trust-dialog-first', /Trust folder/),
      shown('dialog-first-auth', /Use Gemini API Key/, 'Enter'),
      shown('dialog-first-api-key', /Enter Gemini API Key/, 'Down', 'Enter'),
    ],
  }),
  first('qwen', {
    configure: without('.qwen'),
    env: none('OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL'),
    scenes: [
      shown('dialog-first-provider', /Connect a Provider/),
      shown('dialog-first-access', /Access Method/, 'Enter'),
      shown('dialog-first-region', /Region/, 'Enter'),
    ],
  }),
  first('kimi', {
    configure: without('.kimi-code'),
    scenes: [
      shown('trust-dialog-first', /Trust this folder/),
      shown('logged-out-first', /Welcome to Kimi Code/, 'Enter'),
    ],
  }),
  first('pi', {
    configure: without('.pi'),
    env: none('MOCK_API_KEY'),
    scenes: [shown('logged-out-first', /No models available/)],
  }),
  first('copilot', {
    env: none(...COPILOT, 'COPILOT_OFFLINE', 'COPILOT_MODEL'),
    scenes: [
      shown('trust-dialog-first', /Do you trust/),
      shown('logged-out-first', /sign in to use Copilot/, 'Enter'),
    ],
  }),
  {
    ...first('codex', {
      configure: ({ home }) => {
        const file = path.join(home, '.codex', 'config.toml');
        const config = fs.readFileSync(file, 'utf8').replace('check_for_update_on_startup = false', '');
        fs.writeFileSync(file, config);
        const known = { latest_version: '0.999.0', last_checked_at: new Date().toISOString() };
        fs.writeFileSync(path.join(home, '.codex', 'version.json'), JSON.stringify(known));
      },
      scenes: [shown('dialog-update', /Update now/)],
    }),
    setup: 'a newer version is known',
  },
];
