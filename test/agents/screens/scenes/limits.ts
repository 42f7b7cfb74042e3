import { REFUSALS } from '../../model/refusals.ts';
import type { Scene, Stage, Visit } from '../scene.ts';

/** The model refuses each request until this time, in the vendor's words. */
const limited =
  (refusal: keyof typeof REFUSALS, seconds: number, shows: RegExp) =>
  async (stage: Stage): Promise<void> => {
    const untilMs = Date.now() + seconds * 1000;
    stage.model.refuse = () => (Date.now() < untilMs ? REFUSALS[refusal](untilMs) : undefined);
    await stage.says('Please count the files.');
    await stage.shows(shows);
    await stage.still();
  };

const scene = (state: string, bring: NonNullable<Scene['bring']>): Scene => ({
  state,
  bring,
  trial: 'never',
  leave: async () => {},
});

/** Claude Code reads the limits of a subscription for its own login only. */
const subscription = { ANTHROPIC_AUTH_TOKEN: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-dummy-credential' };

const HOURS = 2 * 3600;

/** Screens of tools that a usage limit has stopped, which their vendors' real answers bring about. */
export const limits: Visit[] = [
  {
    tool: 'claude',
    setup: 'limit: a subscription',
    columns: 100,
    rows: 30,
    env: subscription,
    scenes: [scene('limit-waits', limited('claude_5h', HOURS, /Continuing automatically at/))],
  },
  {
    tool: 'claude',
    setup: 'limit: a subscription, narrow',
    columns: 60,
    rows: 18,
    env: subscription,
    scenes: [scene('dialog-limit-weekly', limited('claude_7d', 3 * 24 * 3600, /What do you want to do/))],
  },
  {
    tool: 'claude',
    setup: 'limit: continued by itself',
    columns: 100,
    rows: 30,
    env: subscription,
    scenes: [
      scene('limit-continues', limited('claude_5h', 5, /Continuing shortly/)),
      {
        state: 'completed-after-limit',
        async bring(stage) {
          // It continues up to two minutes after the end.
          while (stage.model.prompts().length < 2) await stage.pause(500);
          await stage.shows(/MOCK-REPLY/);
          await stage.still();
        },
      },
    ],
  },
  {
    tool: 'codex',
    setup: 'limit: narrow',
    columns: 60,
    rows: 24,
    scenes: [scene('limit-narrow', limited('codex', HOURS, /try again at/))],
  },
  {
    tool: 'pi',
    setup: 'limit: given up',
    columns: 100,
    rows: 30,
    scenes: [scene('limit-given-up', limited('codex', HOURS, /Retry failed after/))],
  },
];
