import { invalid } from '../../base/index.ts';
import { bareAgentName, parseAgentId } from '../../domain/index.ts';

/** The target flags every command of the agents family shares, as they were given. */
export interface SelectorFlags {
  agentName?: string | undefined;
  agentId?: string | undefined;
  currentSession?: boolean | undefined;
  targetTmuxSession?: string | undefined;
  pairPort?: number | undefined;
}

export type Selector =
  | { by: 'agent_name'; name: string; pairPort?: number }
  | { by: 'agent_id'; id: string; pairPort?: number }
  | { by: 'tmux_session'; name: string }
  | { by: 'current_session'; implied: boolean };

const HOW_TO_NAME_ONE =
  'name one with --agent-name, --agent-id or --target-tmux-session; "rouse ls" shows the agents of this host';

/**
 * Which agent is meant. Exactly one way of naming it counts; inside tmux no way at all means the session one is
 * in. `--pair-port` names a server to ask about an agent, so it needs an agent: a session knows its own server.
 */
export function chooseSelector(flags: SelectorFlags, insideTmux: boolean): Selector {
  refuseTwoWays(flags);
  refusePairPortAlone(flags);
  const port = flags.pairPort === undefined ? {} : { pairPort: flags.pairPort };
  if (flags.agentId !== undefined) {
    return { by: 'agent_id', id: parseAgentId(flags.agentId, '--agent-id'), ...port };
  }
  if (flags.agentName !== undefined) {
    return {
      by: 'agent_name',
      name: parseAgentId(bareAgentName(flags.agentName.trim()), '--agent-name'),
      ...port,
    };
  }
  if (flags.targetTmuxSession !== undefined) {
    return { by: 'tmux_session', name: tmuxName(flags.targetTmuxSession) };
  }
  if (flags.currentSession && !insideTmux) {
    throw invalid('--current-session works only inside a tmux session', { hint: HOW_TO_NAME_ONE });
  }
  if (!insideTmux)
    throw invalid('no agent was named, and this is not inside a tmux session', { hint: HOW_TO_NAME_ONE });
  return { by: 'current_session', implied: !flags.currentSession };
}

function refuseTwoWays(flags: SelectorFlags): void {
  if (flags.agentId !== undefined && flags.agentName !== undefined) {
    throw invalid('give --agent-id or --agent-name, not both');
  }
  const given = [
    flags.agentId !== undefined && '--agent-id',
    flags.agentName !== undefined && '--agent-name',
    flags.targetTmuxSession !== undefined && '--target-tmux-session',
    flags.currentSession && '--current-session',
  ].filter((name): name is string => typeof name === 'string');
  if (given.length > 1) throw invalid(`give only one of ${given.join(' and ')}`);
}

function refusePairPortAlone(flags: SelectorFlags): void {
  if (flags.pairPort === undefined || flags.agentId !== undefined || flags.agentName !== undefined) return;
  const other =
    flags.targetTmuxSession !== undefined
      ? '--target-tmux-session'
      : flags.currentSession
        ? '--current-session'
        : undefined;
  throw invalid(
    other
      ? `--pair-port cannot be used with ${other}: the session's manifest names its server`
      : '--pair-port needs --agent-name or --agent-id',
    { hint: '--pair-port selects a server, not the port a gateway listens on; that is --gateway-port' },
  );
}

/** tmux reads `:` and `.` as window and pane, `=` as exact and `$`, `@`, `%` as ids; none of them can be in a name. */
function tmuxName(text: string): string {
  const name = text.trim();
  if (name === '') throw invalid('--target-tmux-session must not be blank');
  if (/[:.\u0000-\u001f\u007f]/.test(name) || /^[=$@%]/.test(name)) {
    throw invalid(`--target-tmux-session ${JSON.stringify(name)} is not a session name`, {
      hint: 'give the whole name as "tmux list-sessions" shows it; windows and panes cannot be named here',
    });
  }
  return name;
}
