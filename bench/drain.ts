import { ensureClis } from '../scripts/agent-clis.mjs';
import { Ending, sleep, systemClock } from '../src/base/index.ts';
import { resolveTimings } from '../src/domain/index.ts';
import type { RequestView } from '../src/wire/index.ts';
import type { Received } from '../test/agents/model/mock-model.ts';
import { AgentUnderTest } from '../test/agents/support/agent-under-test.ts';
import { findInstalled } from '../test/agents/support/installed-tool.ts';
import { REAL_TOOLS, type RealTool } from '../test/agents/support/real-tools.ts';
import { readTranscript } from '../test/support/scripted-agent.ts';
import { TestWorld, type WorldAgent } from '../test/support/test-world.ts';
import { middle } from './support/median.ts';

const MODEL_MS = 600;
const MAX_MS = 120_000;

/**
 * How long queued short prompts wait between two turns: from the end of one, as the agent records it, to the Enter of the
 * next. The agent reports the end of its turns, or only its screen shows it; both alternate. Then for each named real tool:
 * from the model's last word to the end of the turn, from there until the next prompt is pasted and drawn, and in total
 * until the model has that prompt, including the tool's own time.
 * `npm run bench -- drain [prompts] [tools]`; by default 10 and no tool.
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  const prompts = Number(args.find((each) => /^\d+$/.test(each)) ?? 10);
  const tools = args.filter((each) => each in REAL_TOOLS) as (keyof typeof REAL_TOOLS)[];
  print(`${prompts} queued prompts, each a turn of ${MODEL_MS} ms`);
  await drainScripted(print, prompts);
  const { timings } = resolveTimings({});
  const windows = timings.stability_threshold_seconds + timings.completion_stability_seconds;
  print(`  goal if the tool reports it: 300 ms; the two windows are ${windows * 1000} ms`);
  for (const name of tools) {
    const failure = (await ensureClis([name], print))[name];
    const tool: RealTool = REAL_TOOLS[name];
    if (failure !== undefined) print(`  ${name}: ${failure}`);
    else sayReal(print, tool, await drainReal(tool, prompts));
  }
}

function say(print: (line: string) => void, who: string, gaps: number[]): void {
  const [median, longest] = [middle(gaps), Math.max(...gaps)].map((ms) => ms.toFixed(0));
  print(`  ${who.padEnd(36)} next prompt after ${median!.padStart(5)} ms (median), ${longest} ms (longest)`);
}

async function drainScripted(print: (line: string) => void, prompts: number): Promise<void> {
  const ending = new Ending();
  const world = new TestWorld();
  ending.add(() => world.close());
  const turn = ['--turn', `${MODEL_MS}ms`];
  try {
    const sides = {
      'the tool reports the end of its turn': await world.agent('reported', turn),
      'only the screen shows it': await world.agent('seen', [...turn, '--status-file', '']),
    };
    for (const [name, agent] of Object.entries(sides)) say(print, name, await drain(agent, prompts));
  } finally {
    await ending.run();
  }
}

async function drain({ client, transcript }: WorldAgent, prompts: number): Promise<number[]> {
  for (let n = 1; n <= prompts; n++) await client.submitPrompt({ prompt: `prompt ${n}` });
  const submitted = () => readTranscript(transcript).filter(({ type }) => type === 'submitted');
  while (submitted().length < prompts) await sleep(systemClock, 200);
  const records = readTranscript(transcript).filter(({ type }) => type === 'submitted' || type === 'ready');
  return records
    .flatMap((record, at) => {
      const before = records[at - 1];
      if (record.type !== 'submitted' || before?.type !== 'ready') return [];
      return [Date.parse(record.at) - Date.parse(before.at)];
    })
    .slice(1);
}

interface Gap {
  /** From the model's last word to the end that the gateway saw; undefined if it saw none. */
  endMs: number | undefined;
  /** From that end until the next prompt was pasted: the time Rouse takes. */
  pastedMs: number | undefined;
  /** From that end until the tool had drawn it in its composer, which Enter waits for. */
  typedMs: number | undefined;
  /** From the model's last word to its next prompt. */
  allMs: number;
}

function sayReal(print: (line: string) => void, { tool, tellsEnd }: RealTool, gaps: Gap[]): void {
  const median = (part: keyof Gap): string => {
    const known = gaps.flatMap((gap) => gap[part] ?? []);
    return known.length === 0 ? '    -' : middle(known).toFixed(0).padStart(5);
  };
  const who = `${tool}, ${tellsEnd ? 'which reports it' : 'its screen shows it'}`;
  print(
    `  ${who.padEnd(28)} ended after ${median('endMs')}, next prompt pasted ${median('pastedMs')} and drawn ${median('typedMs')} later, at the model after ${median('allMs')} ms`,
  );
}

/** The first turn of a tool is slower than the others, so it runs before the measurement. */
async function drainReal(tool: RealTool, prompts: number): Promise<Gap[]> {
  const agent = await new AgentUnderTest(tool, findInstalled(tool.tool)).open({ stock: true });
  try {
    agent.model.delayMs = MODEL_MS;
    await agent.launch([]);
    await agent.started();
    const ids: string[] = [];
    for (let n = 0; n <= prompts; n++) ids.push(await agent.submit(`drain ${n}`));
    const taken = (): Received[] => agent.model.prompts().filter((each) => /^drain \d+$/.test(each.prompt));
    const begun = performance.now();
    while (taken().length <= prompts) {
      if (performance.now() - begun > MAX_MS)
        throw new Error(`${tool.tool} did not take all prompts:\n${agent.screen()}`);
      await sleep(systemClock, 200);
    }
    const views = await Promise.all(ids.map((id) => agent.gateway.getRequest(id)));
    return taken()
      .slice(1, -1)
      .map((before, at) => gapOf(before, taken()[at + 2]!, views.slice(at + 1)));
  } finally {
    agent.close();
  }
}

function gapOf(before: Received, next: Received, [ended, followed]: RequestView[]): Gap {
  const at = (view: RequestView | undefined, stage: string): number | undefined => {
    const entry = view?.ledger?.find((each) => each.stage === stage);
    return entry && Date.parse(entry.at_utc) - performance.timeOrigin;
  };
  const word = before.at + before.tookMs;
  const end = at(ended, 'turn_finished');
  const since = (stage: string): number | undefined => {
    const found = at(followed, stage);
    return end && found && found - end;
  };
  return {
    endMs: end && end - word,
    pastedMs: since('typing'),
    typedMs: since('typed'),
    allMs: next.at - word,
  };
}
