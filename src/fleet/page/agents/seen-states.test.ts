import { expect, it } from 'vitest';
import type { GatewayClient } from '../../../client/index.ts';
import { SeenStates } from './seen-states.ts';

const at = (second: number): string => `2026-01-01T12:00:${String(second).padStart(2, '0')}.000Z`;

/** A gateway that recorded these states, one per second, and remembers how many snapshots it was asked for. */
function gatewayWith(words: string[], from = 0) {
  const asked: number[] = [];
  const call = (_route: string, { limit }: { limit: number }) => {
    asked.push(limit);
    const all = words.map((each, index) => ({
      recorded_at_utc: at(from + index),
      standing: { state: each, words: each },
    }));
    return Promise.resolve({ entries: all.slice(-limit) });
  };
  return { asked, words, gateway: { call } as unknown as GatewayClient };
}

const wordsOf = async (states: SeenStates, gateway: GatewayClient | undefined): Promise<string[]> =>
  (await states.of(gateway, { agentId: 'ana', max: 40 })).map(
    ({ at_utc, words }) => `${at_utc.slice(17, 19)} ${words}`,
  );

it('a gateway is asked for all snapshots once, then for the newest few, and each change of state is listed once', async () => {
  const { asked, words, gateway } = gatewayWith(['idle', 'idle', 'working']);
  const states = new SeenStates();
  expect(await wordsOf(states, gateway)).toEqual(['00 idle', '02 working']);
  words.push('working', 'idle');
  expect(await wordsOf(states, gateway)).toEqual(['00 idle', '02 working', '04 idle']);
  expect(await wordsOf(states, gateway)).toHaveLength(3);
  expect(asked).toEqual([40, 10, 10]);
});

it('states that the gateway has forgotten are kept, and all snapshots are requested after a gap', async () => {
  const { asked, words, gateway } = gatewayWith(['idle']);
  const states = new SeenStates();
  await wordsOf(states, gateway);
  words.push(...Array.from({ length: 30 }, (_, n) => (n === 3 ? 'idle' : 'working')));
  expect(await wordsOf(states, gateway)).toEqual(['00 idle', '01 working', '04 idle', '05 working']);
  expect(asked).toEqual([40, 10, 40]);
  const restarted = gatewayWith(['starting', 'idle'], 40);
  expect(await wordsOf(states, restarted.gateway)).toEqual([
    '00 idle',
    '01 working',
    '04 idle',
    '05 working',
    '40 starting',
    '41 idle',
  ]);
});

it('without a gateway, or with one that does not respond, the known states are returned', async () => {
  const states = new SeenStates();
  await wordsOf(states, gatewayWith(['idle', 'working']).gateway);
  const silent = { call: () => Promise.reject(new Error('no gateway answers')) } as unknown as GatewayClient;
  for (const gateway of [undefined, silent])
    expect(await wordsOf(states, gateway)).toEqual(['00 idle', '01 working']);
  expect(await states.of(undefined, { agentId: 'ben', max: 40 })).toEqual([]);
});

it('the list of states starts again after the clock was set back', async () => {
  const states = new SeenStates();
  await wordsOf(states, gatewayWith(['working'], 50).gateway);
  expect(await wordsOf(states, gatewayWith(['idle', 'working'], 10).gateway)).toEqual([
    '10 idle',
    '11 working',
  ]);
});
