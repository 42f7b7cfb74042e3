import { commandLine, conflict, unavailable, unsupported } from '../../../base/index.ts';
import type { Handlers } from '../../../http/index.ts';
import {
  attach,
  type BroughtBack,
  bringBack,
  findTarget,
  type LocalTarget,
  type SessionContext,
  type StopReport,
  stop,
  stopAnswer,
} from '../../../session/index.ts';
import type { PAGE_ROUTES } from '../../../wire/index.ts';
import type { ActionParts } from './action-handlers.ts';
import type { ReachedAgent } from './agent-reach.ts';

type LifeRoutes = Pick<typeof PAGE_ROUTES, 'page.agent.stop' | 'page.agent.relaunch' | 'page.agent.attach'>;

export interface LifeParts extends ActionParts {
  session: SessionContext | undefined;
}

/** A person stops an agent of this home, starts its tool again, or brings its gateway back, as the command line does. */
export function lifeHandlers({ door, doing, reach, session: context }: LifeParts): Handlers<LifeRoutes> {
  /** Found within the action, so that a click whose receipt was lost gets it although the agent is gone. */
  const found = async (
    name: string,
  ): Promise<{ agent: ReachedAgent; target: LocalTarget; on: SessionContext }> => {
    const agent = await reach.find(name);
    reach.requireHere(agent);
    if (!context) throw unavailable('this server manages no agents of its own');
    return { agent, target: await ownTarget(context, agent), on: context };
  };
  return {
    'page.agent.stop': async ({ context: call, params: { name }, body }) => {
      const person = door.require(call, 'run');
      const { action_id: actionId, in_turn } = await body();
      const act = { action: 'stop', target: name, actionId, asked: { in_turn }, repeatable: false };
      return doing.receipt(person, act, async () => {
        const { agent, target, on } = await found(name);
        requireToldOfTurn(agent, in_turn, 'stop');
        return {
          sentence: stoppedWords(agent, await stop(on, target.facts)),
          command: commandLine`rouse stop ${name}`,
        };
      });
    },
    'page.agent.relaunch': async ({ context: call, params: { name }, body }) => {
      const person = door.require(call, 'run');
      const { action_id: actionId, in_turn } = await body();
      const act = { action: 'relaunch', target: name, actionId, asked: { in_turn }, repeatable: false };
      return doing.receipt(person, act, async () => {
        const { agent, target, on } = await found(name);
        requireToldOfTurn(agent, in_turn, 'relaunch');
        const back = await bringBack(on, target.facts, { resume: true, gateway: 'as_before' });
        return {
          sentence: backWords(agent, back),
          command: commandLine`rouse agents relaunch ${name} --resume`,
        };
      });
    },
    'page.agent.attach': async ({ context: call, params: { name }, body }) => {
      const person = door.require(call, 'run');
      const { action_id: actionId } = await body();
      const act = { action: 'attach', target: name, actionId, asked: null, repeatable: true };
      return doing.receipt(person, act, async () => {
        const { agent, target, on } = await found(name);
        const called = agent.row.name;
        const { alreadyAttached } = await attach(on, target, {});
        return {
          sentence: alreadyAttached
            ? `The gateway of ${called} was already running.`
            : `The gateway of ${called} runs, with the settings, queue and reminders it had.`,
          command: commandLine`rouse agents gateway attach ${name}`,
        };
      });
    },
  };
}

/** The manifest as it is now: the agent may have been launched again since the page was drawn. */
async function ownTarget(context: SessionContext, { row }: ReachedAgent): Promise<LocalTarget> {
  const target = await findTarget(context, { agentId: row.id });
  if (target.kind === 'local') return target;
  throw unsupported(`${row.name} is owned by the server at ${target.baseUrl}, and cannot be changed here`, {
    hint: `use the command line: "${commandLine`rouse stop ${row.name}`}"`,
    facts: { cause: 'owned_by_server' },
  });
}

const isInTurn = ({ row }: ReachedAgent): boolean => row.state === 'working';

/** A turn that began since the person looked is not cut off. */
function requireToldOfTurn(agent: ReachedAgent, inTurn: boolean, verb: 'stop' | 'relaunch'): void {
  if (inTurn || !isInTurn(agent)) return;
  throw conflict(`${agent.row.name} is in the middle of a turn, which this would cut off; nothing was done`, {
    hint: `${verb} it again if that is what you want`,
    facts: { cause: 'in_turn' },
  });
}

const cutOff = (agent: ReachedAgent): string => (isInTurn(agent) ? ' Its turn was cut off.' : '');
const noted = (notes: readonly string[]): string => notes.map((note) => ` Note: ${note}.`).join('');

function stoppedWords(agent: ReachedAgent, report: StopReport): string {
  const { detail, session, notes } = stopAnswer(report);
  const turn = session === 'ended' ? cutOff(agent) : '';
  return `${agent.row.name}: ${detail}.${turn} Its mail and files are kept.${noted(notes)}`;
}

function backWords(
  agent: ReachedAgent,
  { revived, resumed, attached, attachError, notes }: BroughtBack,
): string {
  const where = revived ? ' in a new tmux session' : '';
  const how = resumed ? ', with its conversation' : '';
  const gateway = attached
    ? '; its gateway runs'
    : attachError
      ? `; its gateway was not attached: ${attachError.message}`
      : '';
  return `${agent.row.name}: its tool was started again${where}${how}${gateway}.${cutOff(agent)}${noted(notes)}`;
}
