import * as fs from 'node:fs';
import { sleep, systemClock } from '../src/base/index.ts';
import { AgentHouse, type HousedAgent } from '../test/support/agent-house.ts';

/**
 * Mail committed → wake submitted in an idle scripted agent, beside a notifier that only looks at its interval.
 * `npm run bench -- wake [samples]`, by default 40; the full size is 500.
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  const samples = Number(args[0] ?? 40);
  const house = new AgentHouse();
  try {
    const [agent, sender] = await house.launchMany(2, ['--turn', '1ms', '--act-on-mail', '--reply', '']);
    await agent!.client.enableNotifier({ interval_seconds: 3600 });
    const { address } = await agent!.client.mailStatus();
    const woken = await measure(samples, () => oneWake(agent!, sender!, address));
    print(`${samples} samples, mail committed → prompt received by the agent`);
    print(`woken by the event:    p50 ${woken.p50.toFixed(0)} ms   p99 ${woken.p99.toFixed(0)} ms`);
    await agent!.client.disableNotifier();
    const polled = await measure(Math.min(samples, 10), () => onePolledWake(agent!, sender!, address));
    print(
      `polled every ${POLL_MS / 1000} s only: p50 ${polled.p50.toFixed(0)} ms   p99 ${polled.p99.toFixed(0)} ms`,
    );
    print(`ratio of the medians ${(polled.p50 / woken.p50).toFixed(1)}x; it grows with the interval`);
  } finally {
    await house.close();
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

/** A notifier without events: looks at the mailbox on its own rhythm and submits the same kind of prompt. */
async function onePolledWake(agent: HousedAgent, sender: HousedAgent, address: string): Promise<number> {
  const end = new AbortController();
  const poller = (async () => {
    await sleep(systemClock, Math.random() * POLL_MS, end.signal);
    while (!end.signal.aborted) {
      const { open_count } = await agent.client.mailStatus();
      if (open_count) {
        const prompt = `mail: ${agent.base}/v1/mail/list`;
        await agent.client.createRequest({ kind: 'submit_prompt', payload: { prompt } });
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

async function oneWake(agent: HousedAgent, sender: HousedAgent, address: string): Promise<number> {
  await ready(agent);
  const seen = agent.received().length;
  const watcher = fs.watch(agent.transcript);
  await sender.client.mailSend({ to: [address], subject: 's', body_content: 'b' });
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

/** Nothing open, nothing running, the screen still. */
async function ready({ client }: HousedAgent): Promise<void> {
  for (;;) {
    const [status, tui, mail] = await Promise.all([client.status(), client.tuiState(), client.mailStatus()]);
    const { stable } = tui.stability;
    if (status.active_execution === 'idle' && tui.turn.phase === 'ready' && stable && mail.open_count === 0)
      return;
    await sleep(systemClock, 50);
  }
}
