import { ensureClis } from '../scripts/agent-clis.mjs';
import { USUAL_WAKES } from '../src/domain/index.ts';
import { AgentPair } from '../test/agents/round/agent-pair.ts';
import { playRound } from '../test/agents/round/play-round.ts';
import { REAL_TOOLS } from '../test/agents/support/real-tools.ts';
import { middle } from './support/median.ts';
import { PollingScript } from './support/polling-script.ts';

const LIMIT_MS = 120_000;

/**
 * The time from mail sent to its answer archived by the sender, without the model's own time: two real agents woken by Rouse,
 * and the same two woken by a script that looks at the mailbox every two seconds and types. They alternate in one run.
 * `npm run bench -- round [rounds] [tool]`, by default 5 of pi.
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  const rounds = Number(args.find((each) => /^\d+$/.test(each)) ?? 5);
  const name = args.find((each) => each in REAL_TOOLS) ?? 'pi';
  const failure = (await ensureClis([name], print))[name];
  if (failure !== undefined) throw new Error(failure);
  const pair = await AgentPair.open(REAL_TOOLS[name as keyof typeof REAL_TOOLS], {
    toolArgs: [],
    mail: 'filesystem',
  });
  const woken: number[] = [];
  const polled: number[] = [];
  try {
    await oneRound(pair, 'warm-up');
    for (let at = 1; at <= rounds; at++) {
      woken.push(await oneRound(pair, `woken-${at}`));
      polled.push(await oneRoundByScript(pair, `polled-${at}`));
    }
  } finally {
    await pair.close();
  }
  print(`${rounds} rounds of ${name} each: mail sent → answer archived, less the model's own time`);
  print(`  woken by Rouse:                 ${inWords(woken)}`);
  print(`  woken by a script, every 2 s:   ${inWords(polled)}`);
  print(`  ratio of the medians ${(middle(polled) / middle(woken)).toFixed(2)}x`);
}

async function oneRound(pair: AgentPair, word: string): Promise<number> {
  const round = await playRound(pair, word, { limitMs: LIMIT_MS });
  if (round.wrong.length > 0) throw new Error(round.wrong.join('\n'));
  return round.tookMs - round.modelMs;
}

async function oneRoundByScript(pair: AgentPair, word: string): Promise<number> {
  const scripts: PollingScript[] = [];
  try {
    for (const agent of pair.both) {
      await agent.gateway.call('notifier.disable', {});
      scripts.push(new PollingScript(agent));
    }
    const round = await playRound(pair, word, { limitMs: LIMIT_MS, byOthers: true });
    if (round.wrong.length > 0) throw new Error(round.wrong.join('\n'));
    return round.tookMs - round.modelMs;
  } finally {
    for (const script of scripts) script.end();
    for (const agent of pair.both) await agent.gateway.call('notifier.enable', { body: { ...USUAL_WAKES } });
  }
}

function inWords(times: number[]): string {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
  return `median ${seconds(middle(times))}, ${seconds(Math.min(...times))} to ${seconds(Math.max(...times))}`;
}
