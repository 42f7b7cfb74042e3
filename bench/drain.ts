import { Ending, sleep, systemClock } from '../src/base/index.ts';
import { readTranscript } from '../src/scripted/index.ts';
import { AgentHouse, type HousedAgent } from '../test/support/agent-house.ts';
import { middle } from './support/median.ts';

/**
 * How long a line of short prompts waits between two turns: from the end of one, as the agent itself records it, to the
 * Enter of the next. Once with an agent that says when its turn ends, once with the same agent of which only the screen
 * tells, in turns. `npm run bench -- drain [prompts]`; by default 10.
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  const prompts = Number(args[0] ?? 10);
  const ending = new Ending();
  const house = new AgentHouse();
  ending.add(() => house.close());
  try {
    const sides = {
      'the tool says that its turn ended': await house.launch('told', ['--turn', '600ms']),
      'only the screen tells': await house.launch('seen', ['--turn', '600ms', '--status-file', '']),
    };
    print(`${prompts} prompts in line, each a turn of 600 ms`);
    for (const [name, agent] of Object.entries(sides)) {
      const gaps = await drain(agent, prompts);
      const worst = Math.max(...gaps);
      print(
        `  ${name.padEnd(36)} next prompt after ${middle(gaps).toFixed(0).padStart(5)} ms (median), ${worst.toFixed(0)} ms (longest)`,
      );
    }
    print('  goal where the tool says so: 300 ms');
  } finally {
    await ending.run();
  }
}

async function drain({ client, transcript }: HousedAgent, prompts: number): Promise<number[]> {
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
