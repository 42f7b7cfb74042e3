import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { agentAnswer } from './agent-answer.ts';
import { requireNamed } from './require-named.ts';
import { GATEWAY_TARGET_FLAGS, sessionContext, targetOf } from './target.ts';

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  requireNamed(input, 'relaunch');
  const target = await targetOf(input);
  const { fleetActions, relaunch } = await import('../../session/index.ts');
  if (target.kind === 'fleet')
    return agentAnswer(await (await fleetActions()).relaunchAtFleet(sessionContext(input), target));
  const { resume } = input.flags;
  const { facts, toolPid, revived, resumed, notes } = await relaunch(sessionContext(input), target.facts, {
    resume,
  });
  const detail = revived ? 'its tmux session was gone and was made again' : 'a new instance runs in window 0';
  return {
    data: {
      ...{ status: 'ok', action: 'relaunch', detail, agent_name: facts.agentName, agent_id: facts.agentId },
      ...{ tool_pid: toolPid, revived, resumed, tmux_session_name: facts.tmuxSessionName, notes },
    },
    plain: [`${facts.agentName}: ${detail}`, ...notes.map((note) => `note: ${note}`)].join('\n'),
  };
}

const FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  { name: 'resume', summary: 'go on with the conversation the tool was in, where it is known' },
] as const satisfies readonly Flag[];

const relaunch = command({
  name: 'relaunch',
  summary: 'start the tool of an agent again, in its window 0',
  description:
    'Ends the tool if it is still running and starts it again as it was launched, with the ' +
    'environment of this command. If tmux itself had died, the session is created again under the ' +
    'same name.',
  examples: ['rouse agents relaunch --agent-name gpu', 'rouse agents relaunch gpu --resume'],
  flags: FLAGS,
  run,
});

export default relaunch;
