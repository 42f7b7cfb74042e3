import { commandLine, invalid } from '../../base/index.ts';
import type { TargetInput } from './target.ts';

/** A command that ends a tool must not hit the session it happens to run in. */
export function requireNamed({ flags }: TargetInput, action: string): void {
  const { agentName, agentId, targetTmuxSession, currentSession } = flags;
  if ([agentName, agentId, targetTmuxSession, currentSession].some((given) => given !== undefined)) return;
  throw invalid(`say which agent to ${action}`, {
    hint: `for example: ${commandLine`rouse agents ${action} ana`}; or by --agent-name, --agent-id, --target-tmux-session, or --current-session for the one around you`,
  });
}
