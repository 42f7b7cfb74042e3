import { openRollout } from './open-rollout.ts';
import { entryOf } from './rollout-entry.ts';
import type { LogKind } from './session-log.ts';

/** The log Codex keeps of the conversation, found among the files its process holds open. */
export const CODEX_ROLLOUT: LogKind = {
  source: 'codex_rollout',
  proof: 'rollout',
  find: ({ pid }) => openRollout(pid),
  entryOf,
  says: {
    task_started: 'busy',
    turn_started: 'busy',
    task_complete: 'idle',
    turn_complete: 'idle',
    turn_aborted: 'interrupted',
  },
};
