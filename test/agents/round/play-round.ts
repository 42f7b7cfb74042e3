import type { AgentUnderTest } from '../support/agent-under-test.ts';
import type { AgentPair } from './agent-pair.ts';
import { DialogWatch } from './dialog-watch.ts';
import { gaveUp, isWakePrompt, orderToWrite } from './do-mail.ts';
import {
  isReady,
  lastDecision,
  mailAbout,
  mailProof,
  timesOf,
  turnsEnded,
  wakeProof,
} from './round-proof.ts';

/** What happens to Ben after that many of his calls were answered. */
export interface Interruption {
  afterCalls: number;
  act: (ben: AgentUnderTest) => Promise<void>;
  /** The number of wakes Ben needs then. */
  wakes: number;
  /** The gateway that saw his turn begin does not see it end; only his tool's own report of it is known. */
  endUnseen?: true;
}

export interface Round {
  /** What went wrong; empty after a complete round. */
  wrong: string[];
  stuck: boolean;
  doubled: boolean;
  dialogs: number;
  approvals: number;
  /** From sending the mail to archiving its answer, and the model's share of that time. */
  tookMs: number;
  modelMs: number;
}

/** The exit code of a prompt that is refused for the moment. */
const NOT_READY = 5;

export interface RoundOptions {
  limitMs: number;
  interruption?: Interruption | undefined;
  /** In this round something other than Rouse wakes the agents. */
  byOthers?: boolean;
}

/** Ana writes; Ben is woken, reads, replies and archives; Ana is woken by the reply and archives it. Every step is proved. */
export async function playRound(pair: AgentPair, word: string, options: RoundOptions): Promise<Round> {
  const round: Round = {
    wrong: [],
    stuck: false,
    doubled: false,
    dialogs: 0,
    approvals: 0,
    tookMs: 0,
    modelMs: 0,
  };
  const { model } = pair.ana;
  const first = model.log.length;
  const before = await Promise.all(pair.both.map(lastDecision));
  const interrupted = options.interruption && interrupt(pair, options.interruption);
  try {
    const fault = (): string | undefined => model.log.slice(first).find(gaveUp)?.said;
    const watch = new DialogWatch(pair.both, round, { limitMs: options.limitMs, fault });
    await write(pair, word, watch);
    for (const agent of pair.both)
      await watch.until(() =>
        options.byOthers ? isReady(agent) : turnsEnded(agent, endSeen(agent, options)),
      );
    await interrupted?.done();
    await prove(pair, { word, before, round, ...options });
    Object.assign(round, timesOf(model.log.slice(first), word));
  } catch (error) {
    round.stuck = true;
    round.wrong.push((error as Error).message, ...(await scene(pair, first)));
  } finally {
    interrupted?.over();
  }
  return round;
}
async function write(pair: AgentPair, word: string, watch: DialogWatch): Promise<void> {
  const { ana, ben } = pair;
  await watch.until(
    async () => (await isReady(ana)) && (await prompted(ana, orderToWrite(ben.address, word))),
  );
  await watch.until(async () => {
    await pair.carry();
    return (await mailAbout(ana, word)).some(({ archived }) => archived);
  });
}

/** Not if it is busy again by now: then nothing was typed. */
async function prompted(agent: AgentUnderTest, prompt: string): Promise<boolean> {
  const { code, stderr } = await agent.command('prompt', '--prompt', prompt);
  if (code !== 0 && code !== NOT_READY) throw new Error(`agents prompt ended with ${code}: ${stderr}`);
  return code === 0;
}

interface Played extends RoundOptions {
  word: string;
  before: number[];
  round: Round;
}

async function prove(pair: AgentPair, { word, before, round, ...options }: Played): Promise<void> {
  round.wrong.push(...(await mailProof(pair, word)));
  for (const agent of pair.both) round.doubled ||= (await mailAbout(agent, word)).length > 1;
  if (options.byOthers) return;
  const due = [1, options.interruption?.wakes ?? 1];
  for (const [at, agent] of pair.both.entries()) {
    const { wrong, doubled } = await wakeProof(agent, before[at]!, {
      due: due[at]!,
      endSeen: endSeen(agent, options),
    });
    round.wrong.push(...wrong);
    round.doubled ||= doubled;
  }
}

function endSeen({ tool, name }: AgentUnderTest, { interruption }: RoundOptions): boolean {
  const unseen = name === 'ben' && interruption?.endUnseen && !tool.tellsEnd;
  return !tool.silentEnd && !unseen;
}

/** Holds the model's answer back until it is done. */
function interrupt({ ben }: AgentPair, { afterCalls, act }: Interruption) {
  let done: Promise<void> | undefined;
  ben.model.hold = ({ prompt, results }) => {
    if (done || results !== afterCalls || !isWakePrompt(prompt) || !prompt.includes(ben.baseUrl)) return;
    done = act(ben);
    done.catch(() => {});
    return done;
  };
  return {
    done: async () => done ?? Promise.reject(new Error('nothing was interrupted')),
    over: () => (ben.model.hold = () => undefined),
  };
}

async function scene(pair: AgentPair, first: number): Promise<string[]> {
  const model = pair.ana.model.log.slice(first).map(({ prompt, results, called, said, side }) => {
    const words = prompt.replace(/\s+/g, ' ').slice(0, 60);
    return `model${side ? ' (aside)' : ''}: "${words}" after ${results} answers → ${called ?? said.slice(0, 300)}`;
  });
  return [...model, ...(await Promise.all(pair.both.map(standing))).flat(), ...pair.ana.model.faults];
}

async function standing(agent: AgentUnderTest): Promise<string[]> {
  const asked = await Promise.allSettled([
    agent.gateway.tuiState().then(({ facts }) => facts),
    agent.gateway
      .call('requests.list', { limit: 1 })
      .then(({ requests: [last] }) => last && agent.gateway.getRequest(last.request_id)),
  ]);
  return [`── ${agent.name}`, agent.screen(), ...asked.map((each) => JSON.stringify(each))];
}
