import { pairAnswer } from './agents-pair-answer.ts';
import { requireNamed } from './agents-require-named.ts';
import { GATEWAY_TARGET_FLAGS, sessionContext, targetOf } from './agents-target.ts';
import type { Command, Input, Output } from './command.ts';

async function run(input: Input): Promise<Output> {
  requireNamed(input, 'stop');
  const target = await targetOf(input);
  const { pairActions, stop } = await import('../session/index.ts');
  if (target.kind === 'pair') return pairAnswer(await (await pairActions()).stopAtPair(target));
  const { facts } = target;
  const { wasRunning, notes } = await stop(sessionContext(input), facts);
  const detail = wasRunning ? 'stopped' : 'its session was gone already; what was left of it is cleared';
  return {
    data: {
      ...{ status: 'ok', action: 'terminate', detail, agent_name: facts.agentName, agent_id: facts.agentId },
      ...{ was_running: wasRunning, session_root: facts.root, notes },
    },
    plain: [`${facts.agentName}: ${detail}`, ...notes.map((note) => `note: ${note}`)].join('\n'),
  };
}

const stop: Command = {
  name: 'stop',
  summary: 'detach the gateway, end the tool and close its tmux session',
  description:
    'Its logs, its mail and its session directory stay. The agent must be named, also inside its session.',
  examples: ['rouse agents stop --agent-name gpu'],
  flags: GATEWAY_TARGET_FLAGS,
  run,
};

export default stop;
