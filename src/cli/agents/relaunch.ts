import { command, type Output } from '../command.ts';
import { agentAnswer } from './agent-answer.ts';
import { requireNamed } from './require-named.ts';
import { GATEWAY_TARGET_FLAGS, sessionContext, type TargetInput, targetOf } from './target.ts';

async function run(input: TargetInput): Promise<Output> {
  requireNamed(input, 'relaunch');
  const target = await targetOf(input);
  const { fleetActions, relaunch } = await import('../../session/index.ts');
  if (target.kind === 'fleet')
    return agentAnswer(await (await fleetActions()).relaunchAtFleet(sessionContext(input), target));
  const { facts, toolPid, revived, notes } = await relaunch(sessionContext(input), target.facts);
  const detail = revived ? 'its tmux session was gone and was made again' : 'a new instance runs in window 0';
  return {
    data: {
      ...{ status: 'ok', action: 'relaunch', detail, agent_name: facts.agentName, agent_id: facts.agentId },
      ...{ tool_pid: toolPid, revived, tmux_session_name: facts.tmuxSessionName, notes },
    },
    plain: [`${facts.agentName}: ${detail}`, ...notes.map((note) => `note: ${note}`)].join('\n'),
  };
}

const relaunch = command({
  name: 'relaunch',
  summary: 'start the tool of an agent again, in its window 0',
  description:
    'Ends the tool if it is still running and starts it again as it was launched, with the ' +
    'environment of this command. If tmux itself had died, the session is created again under the ' +
    'same name.',
  examples: ['rouse agents relaunch --agent-name gpu'],
  flags: GATEWAY_TARGET_FLAGS,
  run,
});

export default relaunch;
