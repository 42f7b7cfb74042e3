import type { BroughtBack } from '../../session/index.ts';
import type { MailNotifierStatus } from '../../wire/index.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { agentAnswer } from './agent-answer.ts';
import { errorData, reportMissing } from './missing.ts';
import { requireNamed } from './require-named.ts';
import { severalAgents } from './several-agents.ts';
import { GATEWAY_TARGET_FLAGS, sessionContext, targetOf } from './target.ts';
import { equipmentLine, wakesNow } from './wake.ts';

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  requireNamed(input, 'relaunch');
  const target = await targetOf(input);
  const { bringBack, fleetActions } = await import('../../session/index.ts');
  if (target.kind === 'fleet')
    return agentAnswer(await (await fleetActions()).relaunchAtFleet(sessionContext(input), target), target);
  const { resume } = input.flags;
  const back = await bringBack(sessionContext(input), target.facts, { resume, gateway: 'as_before' });
  const wakes = back.attached && (await wakesNow(input, back.facts));
  return { data: dataOf(back, wakes), plain: plainOf(back, wakes), ...reportMissing(input, back) };
}

function detailOf({ revived }: BroughtBack): string {
  return revived ? 'its tmux session was gone and was created again' : 'a new instance runs in window 0';
}

function dataOf(back: BroughtBack, wakes: MailNotifierStatus | undefined): Record<string, unknown> {
  const { facts, toolPid, revived, resumed, notes, attached, attachError } = back;
  return {
    ...{ status: 'ok', action: 'relaunch', detail: detailOf(back) },
    ...{ agent_name: facts.agentName, agent_id: facts.agentId },
    ...{ tool_pid: toolPid, revived, resumed, tmux_session_name: facts.tmuxSessionName, notes },
    gateway: attached?.status ?? null,
    gateway_error: errorData(attachError),
    wakes: wakes ?? null,
  };
}

function plainOf(back: BroughtBack, wakes: MailNotifierStatus | undefined): string {
  const { facts, attached, resumed, notes } = back;
  const lines = [`${facts.agentName}: ${detailOf(back)}${resumed ? ', with its conversation' : ''}`];
  if (attached) {
    const { gateway_host: host, gateway_port: port } = attached.status;
    lines.push(`gateway ${host}:${port} · ${equipmentLine({ facts, wakes, attached })}`);
  }
  return [...lines, ...notes.map((note) => `note: ${note}`)].join('\n');
}

const FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  { name: 'resume', summary: 'continue the conversation the tool was in, if it is known' },
] as const satisfies readonly Flag[];

const relaunch = severalAgents(
  command({
    name: 'relaunch',
    summary: 'start the tool of an agent again, in its window 0',
    description:
      'Ends the tool if it is still running and starts it again as it was launched, with the ' +
      'environment of this command and the program that its PATH leads to now. If tmux itself had died, the ' +
      'session is created again under the same name. A gateway that was attached and not detached since is ' +
      'attached again, in the mode it had; the agent is then woken as before.',
    examples: [
      'rouse agents relaunch --agent-name gpu',
      'rouse agents relaunch gpu --resume',
      'rouse agents relaunch --all --resume   # every agent of this host',
    ],
    flags: FLAGS,
    run,
  }),
);

export default relaunch;
