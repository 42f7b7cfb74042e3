import { invalid } from '../../base/index.ts';
import type { Input } from '../command.ts';

/** What ends a tool must not hit the session one happens to be in. */
export function requireNamed({ flags }: Input, action: string): void {
  const named = ['agentName', 'agentId', 'targetTmuxSession', 'currentSession'].some(
    (flag) => flags[flag] !== undefined,
  );
  if (named) return;
  throw invalid(`say which agent to ${action}`, {
    hint: 'with --agent-name, --agent-id or --target-tmux-session; --current-session for the one around you',
  });
}
