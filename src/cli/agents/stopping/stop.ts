import { commandLine, isRouseError, unavailable, unsupported } from '../../../base/index.ts';
import type { ManifestFacts, StopOptions, StopReport } from '../../../session/index.ts';
import { command, type Flag, type InputOf, type Output } from '../../command.ts';
import { FIRST_WORDS } from '../../first-words.ts';
import { agentAnswer } from '../agent-answer.ts';
import { requireNamed } from '../require-named.ts';
import { severalAgents } from '../several-agents.ts';
import { GATEWAY_TARGET_FLAGS, sessionContext, type TargetInput, targetOf } from '../target.ts';
import { endOfTurn, NOW } from './end-of-turn.ts';

async function runStop(input: InputOf<typeof STOP_FLAGS>): Promise<Output> {
  requireNamed(input, 'stop');
  const target = await targetOf(input);
  const clean = input.flags.clean === true;
  const options = { killSession: input.flags.killSession === true, clean };
  const { fleetActions, stop } = await import('../../../session/index.ts');
  if (target.kind === 'fleet') {
    if (clean) throw unsupported('--clean works on agents of this host; this one is owned by a server');
    try {
      return agentAnswer(await (await fleetActions()).stopAtFleet(target, options), target);
    } catch (error) {
      const { facts } = target;
      if (!facts || !isRouseError(error) || error.facts['cause'] !== 'pair_unreachable') throw error;
      if (!options.killSession)
        throw unavailable(error.message, {
          hint: `start it, or end the session here with "${commandLine`rouse agents stop ${facts.agentName} --kill-session`}"`,
          facts: error.facts,
        });
      input.err(`warning: ${error.message}; the session is ended from here\n`);
      return answer(facts, await stop(sessionContext(input), facts, options));
    }
  }
  return answer(target.facts, await afterTurn(input, target.facts, options));
}

async function afterTurn(
  input: InputOf<typeof STOP_FLAGS>,
  facts: ManifestFacts,
  options: StopOptions,
): Promise<StopReport> {
  const { stop } = await import('../../../session/index.ts');
  const ends = !facts.joined || options.killSession;
  if (input.flags.now || !ends) return stop(sessionContext(input), facts, options);
  const resume = await endOfTurn(input, facts, 'stop');
  try {
    return await stop(sessionContext(input), facts, options);
  } finally {
    await resume();
  }
}

async function runLeave(input: TargetInput): Promise<Output> {
  requireNamed(input, 'leave');
  const target = await targetOf(input);
  const { fleetActions, leave } = await import('../../../session/index.ts');
  if (target.kind === 'fleet') return agentAnswer(await (await fleetActions()).leaveAtFleet(target), target);
  return answer(target.facts, await leave(sessionContext(input), target.facts));
}

async function answer(
  { agentName, agentId, root }: { agentName: string; agentId: string; root: string },
  report: StopReport,
): Promise<Output> {
  const { stopAnswer } = await import('../../../session/index.ts');
  return agentAnswer({ ...stopAnswer(report), agent_name: agentName, agent_id: agentId, session_root: root });
}

const STOP_FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  NOW,
  { name: 'kill-session', summary: 'end the tmux session even if it was joined' },
  { name: 'clean', summary: 'remove the mail skills of its tool too, if no other agent here uses them' },
] as const satisfies readonly Flag[];

export const stop = severalAgents(
  command({
    ...FIRST_WORDS.stop,
    description:
      'Its logs, mail and session directory are kept. A joined session is not ended: it continues as ' +
      'it was, with all its windows and its tool. A turn that runs is waited for, unless with --now. "rouse launch NAME" ' +
      'brings it back with its conversation. The agent must be named, even inside its own session.',
    examples: [
      'rouse agents stop --agent-name gpu',
      'rouse agents stop ana ben                           # several, each with its own outcome; also --all and --team',
      'rouse agents stop --agent-name gpu --kill-session   # a joined session too',
      'rouse agents stop --agent-name gpu --clean          # nothing of Rouse stays in your home',
    ],
    flags: STOP_FLAGS,
    run: runStop,
  }),
);

export const leave = severalAgents(
  command({
    ...FIRST_WORDS.leave,
    description:
      'Detaches the gateway, restores the variables of the session and the configuration that join changed (if it was edited ' +
      'since, only the entry of join is removed), and forgets the agent. The tool keeps running. For an agent that was ' +
      'launched, use "rouse agents stop".',
    examples: ['rouse agents leave --agent-name gpu', 'rouse agents leave --current-session'],
    flags: GATEWAY_TARGET_FLAGS,
    run: runLeave,
  }),
);
