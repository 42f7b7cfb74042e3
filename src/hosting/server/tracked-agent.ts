import { isHeadless } from '../../domain/index.ts';
import type { ManifestFacts } from '../../session/index.ts';

/** An agent of this host as the server knows it. */
export interface TrackedAgent {
  /** The id of its session. */
  trackedId: string;
  /** `server`: this server launched it and owns it. `host`: the command line did. */
  owner: 'server' | 'host';
  facts: ManifestFacts;
}

/** What any caller may learn about an agent. Contains no secrets. */
export interface AgentIdentityView {
  tracked_agent_id: string;
  transport: 'tui' | 'headless';
  backend: string;
  tool: string;
  agent_name: string;
  agent_id: string;
  runtime_session_id: string;
  session_name: string;
  tmux_session_name: string;
  tmux_window_name: string | null;
  terminal_id: string | null;
  owner: 'server' | 'host';
  joined: boolean;
  working_directory: string;
  manifest_path: string;
  session_root: string;
}

export function identityView({ trackedId, owner, facts }: TrackedAgent): AgentIdentityView {
  return {
    tracked_agent_id: trackedId,
    transport: transportOf(facts),
    backend: facts.backend,
    tool: facts.tool,
    agent_name: facts.agentName,
    agent_id: facts.agentId,
    runtime_session_id: facts.sessionId,
    session_name: facts.tmuxSessionName,
    tmux_session_name: facts.tmuxSessionName,
    tmux_window_name: windowNameOf(facts),
    terminal_id: terminalIdOf(facts),
    owner,
    joined: facts.joined,
    working_directory: facts.workingDirectory,
    manifest_path: facts.path,
    session_root: facts.root,
  };
}

export function transportOf(facts: ManifestFacts): 'tui' | 'headless' {
  return isHeadless(facts.backend) ? 'headless' : 'tui';
}

/** Whether the server, not a gateway, runs this agent's turns. */
export function isServedHeadless({ owner, facts }: TrackedAgent): boolean {
  return owner === 'server' && isHeadless(facts.backend);
}

export function terminalIdOf(facts: ManifestFacts): string | null {
  return textIn(facts, 'interactive', 'terminal_id');
}

const windowNameOf = (facts: ManifestFacts): string | null => textIn(facts, 'tmux', 'primary_window_name');

function textIn({ document }: ManifestFacts, part: string, field: string): string | null {
  const value = (document[part] as Record<string, unknown> | null | undefined)?.[field];
  return typeof value === 'string' ? value : null;
}
