import { commandLine, sleep, systemClock, utcStamp } from '../../../base/index.ts';
import type { GatewayClient } from '../../../client/index.ts';
import { isHeadless } from '../../../domain/index.ts';
import type { ManifestFacts } from '../../../session/index.ts';
import { VARIABLE } from '../../../wire/houmao/index.ts';
import type { Flag, Input } from '../../command.ts';
import { gatewayOf } from '../../gateway/target.ts';
import { sessionContext } from '../target.ts';

export const NOW = {
  name: 'now',
  summary: 'do not wait for the end of a running turn',
} as const satisfies Flag;

const LOOK_MS = 300;
/** A command that is killed while it waits leaves the agent paused for no longer than this. */
const PAUSE_MS = 3_600_000;

/**
 * Waits for the end of a running turn, and says so. In the meantime no other turn begins by itself. Returns what undoes
 * that. A program of the agent itself does not wait for its own turn.
 */
export async function endOfTurn(
  input: Input,
  facts: ManifestFacts,
  end: string,
): Promise<() => Promise<void>> {
  const nothing = async (): Promise<void> => {};
  if (input.env[VARIABLE.agentId] === facts.agentId) return nothing;
  const watched = await watch(input, facts);
  try {
    if (!(await watched.isWorking())) return nothing;
    const { agentName: name } = facts;
    input.err(
      `${name} is working on a turn: waiting for its end ("${commandLine`rouse ${end} ${name} --now`}" does not wait)\n`,
    );
    const undo = await holdBack(input, facts);
    await untilIdle(watched, input).catch(async (error) => {
      await undo();
      throw error;
    });
    return undo;
  } finally {
    await watched.close();
  }
}

async function untilIdle({ isWorking }: Watched, { signal }: Input): Promise<void> {
  while (await isWorking()) {
    await sleep(systemClock, LOOK_MS, signal);
    signal.throwIfAborted();
  }
}

interface Watched {
  isWorking: () => boolean | Promise<boolean>;
  close: () => Promise<void>;
}

/** As its gateway sees it; without one, this process looks at its terminal. */
async function watch(input: Input, facts: ManifestFacts): Promise<Watched> {
  const { seenAgent, watchDirectly } = await import('../../../session/index.ts');
  const context = sessionContext(input);
  const state = async () => (await seenAgent(context, facts)).state;
  if ((await state()) === 'not_watched' && !isHeadless(facts.backend)) return watchDirectly(context, facts);
  return { isWorking: async () => (await state()) === 'working', close: async () => {} };
}

/** Pauses the agent, unless a person has. Returns what ends that pause. */
async function holdBack(input: Input, facts: ManifestFacts): Promise<() => Promise<void>> {
  const { resumeOffline } = await import('../../../session/index.ts');
  const gateway = await gatewayOf(input, { kind: 'local', facts }).catch(() => '');
  if (typeof gateway === 'string' || !(await pauseIfNot(gateway))) return async () => {};
  return async () => {
    await gateway.call('pause.end', {}).catch(() => resumeOffline(facts));
  };
}

async function pauseIfNot(gateway: GatewayClient): Promise<boolean> {
  try {
    if ((await gateway.call('pause.status', {})).paused) return false;
    const until_utc = utcStamp(new Date(Date.now() + PAUSE_MS));
    await gateway.call('pause.begin', { body: { until_utc } });
    return true;
  } catch {
    return false;
  }
}
