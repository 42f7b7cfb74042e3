import * as fs from 'node:fs';
import { sleep, systemClock } from '../src/base/index.ts';
import { TestWorld, type WorldAgent } from '../test/support/test-world.ts';
import { cycleCosts } from './support/notifier-cycle.ts';

/**
 * The time from mail committed to wake submitted in an idle scripted agent, compared with a notifier that only polls; and the
 * cost of a look by the number of messages in the mailbox.
 * `npm run bench -- wake [samples] [cycle]`, by default 40; the full size is 500. `cycle` measures the looks only.
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  const samples = Number(args.find((each) => /^\d+$/.test(each)) ?? 40);
  await printCycles(print);
  if (!args.includes('cycle')) await printWakes(print, samples);
}

async function printCycles(print: (line: string) => void): Promise<void> {
  const costs = await cycleCosts([10, 1_000, 100_000], 200);
  print('one look at a mailbox that did not change, with its row in the audit (median of 200)');
  for (const { messages, medianMs } of costs)
    print(`  ${String(messages).padStart(7)} messages: ${medianMs.toFixed(2)} ms`);
  const ratio = costs.at(-1)!.medianMs / costs[0]!.medianMs;
  print(`  largest to smallest: ${ratio.toFixed(2)}x (goal 2x: ${ratio <= 2 ? 'reached' : 'missed'})`);
}

async function printWakes(print: (line: string) => void, samples: number): Promise<void> {
  const world = new TestWorld();
  try {
    const [agent, sender] = await world.agents(2, ['--turn', '1ms', '--act-on-mail', '--reply', '']);
    await agent!.client.call('notifier.enable', { body: { interval_seconds: 3600 } });
    const { address } = await agent!.client.call('mail.status', {});
    const woken = await measure(samples, () => oneWake(agent!, sender!, address));
    print(`${samples} samples, mail committed → prompt received by the agent`);
    print(
      `woken by the event:    p50 ${woken.p50.toFixed(0)} ms   p99 ${woken.p99.toFixed(0)} ms (goal p99 < 300 ms: ${woken.p99 < 300 ? 'reached' : 'missed'})`,
    );
    await agent!.client.call('notifier.disable', {});
    const polled = await measure(Math.min(samples, 10), () => onePolledWake(agent!, sender!, address));
    print(
      `polled every ${POLL_MS / 1000} s only: p50 ${polled.p50.toFixed(0)} ms   p99 ${polled.p99.toFixed(0)} ms`,
    );
    print(`ratio of the medians ${(polled.p50 / woken.p50).toFixed(1)}x; it grows with the interval`);
  } finally {
    await world.close();
  }
}

const POLL_MS = 2000;

async function measure(count: number, sample: () => Promise<number>): Promise<{ p50: number; p99: number }> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) times.push(await sample());
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(count - 1, Math.floor(count * share))]!;
  return { p50: at(0.5), p99: at(0.99) };
}

/** A notifier without events: polls the mailbox and submits the same kind of prompt. */
async function onePolledWake(agent: WorldAgent, sender: WorldAgent, address: string): Promise<number> {
  const end = new AbortController();
  const poller = (async () => {
    await sleep(systemClock, Math.random() * POLL_MS, end.signal);
    while (!end.signal.aborted) {
      const { open_count } = await agent.client.call('mail.status', {});
      if (open_count) {
        const prompt = `mail: ${agent.base}/v1/mail/list`;
        await agent.client.call('requests.create', { body: { kind: 'submit_prompt', payload: { prompt } } });
        return;
      }
      await sleep(systemClock, POLL_MS, end.signal);
    }
  })();
  const time = await oneWake(agent, sender, address);
  end.abort();
  await poller;
  return time;
}

async function oneWake(agent: WorldAgent, sender: WorldAgent, address: string): Promise<number> {
  await ready(agent);
  const seen = agent.received().length;
  const watcher = fs.watch(agent.transcript);
  await sender.client.call('mail.send', { body: { to: [address], subject: 's', body_content: 'b' } });
  const committed = performance.now();
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (agent.received().length > seen) resolve();
    };
    watcher.on('change', look);
    look();
  });
  watcher.close();
  return performance.now() - committed;
}

/**
 * Resolves when nothing is open or running, the screen is still, and the last turn has ended. The end is reported one
 * stability window later and changes the state once more. For a turn too short to be seen, it waits.
 */
async function ready({ client, received }: WorldAgent): Promise<void> {
  const begun = received().length > 0;
  for (;;) {
    const [status, tui, mail] = await Promise.all([
      client.status(),
      client.tuiState(),
      client.call('mail.status', {}),
    ]);
    const { stable, stable_for_seconds } = tui.stability;
    const settled =
      stable && (!begun || tui.last_turn.result !== 'none' || stable_for_seconds > UNSEEN_SECONDS);
    if (status.active_execution === 'idle' && tui.turn.phase === 'ready' && settled && mail.open_count === 0)
      return;
    await sleep(systemClock, 50);
  }
}

const UNSEEN_SECONDS = 3;
