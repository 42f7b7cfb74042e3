import { invalid, unsupported } from '../../base/index.ts';
import { AGENT_FLAGS, type AgentInput, onThisHost, sessionContext, targetOf } from '../agents/target.ts';
import { command, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';

async function run(input: AgentInput): Promise<Output> {
  const target = await targetOf(onThisHost(input));
  if (target.kind === 'fleet' && !target.facts)
    throw unsupported(`the session of agent ${target.agentRef} is with its server at ${target.baseUrl}`, {
      hint: 'run "rouse open" on the host where it runs',
    });
  const facts = target.facts!;
  const { findWayInto, go, lineOf } = await import('../../session/index.ts');
  const way = await findWayInto(sessionContext(input), facts);
  const { session: tmux_session_name, socket: tmux_socket, how, command: words } = way;
  const data = { agent_name: facts.agentName, tmux_session_name, tmux_socket, how, command: words };
  if (input.style === 'json') return { data };
  if (!input.stdinIsTty || !input.outIsTty)
    throw invalid('open needs a terminal to show the agent in', {
      hint: `in a terminal run: ${lineOf(way)}`,
    });
  return { data, plain: '', exitCode: await go(way, input.env) };
}

export const open = command({
  ...FIRST_WORDS.open,
  description:
    'Attaches this terminal to the tmux session of the agent; detach with Ctrl-b d. Inside the same tmux server the client ' +
    'switches to it; inside another server it attaches, and returns when you detach. With --json nothing is opened, and ' +
    'the tmux command is printed.',
  examples: ['rouse open ana', 'rouse open ana --json'],
  flags: AGENT_FLAGS,
  run,
});
