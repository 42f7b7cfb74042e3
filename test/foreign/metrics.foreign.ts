import { afterAll, beforeAll, expect, it } from 'vitest';
import { Ending } from '../../src/base/index.ts';
import { cliAgent } from '../support/cli-agent.ts';
import { startFleet } from '../support/fleet.ts';
import { proofReport } from '../support/proof-report.ts';
import { run } from './run-foreign.ts';

const ending = new Ending();
const places: Record<string, { url: string; token?: string }> = {};
beforeAll(async () => {
  const fleet = await startFleet();
  ending.add(() => fleet.stop());
  // There must be something to count.
  await fleet.user.call('registry.agents.list', {});
  const { gateway } = await (await cliAgent(ending)).attach();
  places['fleet server'] = { url: fleet.url, token: fleet.tokens.admin };
  places['gateway'] = { url: `http://127.0.0.1:${gateway.port}` };
});
afterAll(() => ending.run());

it.each(['fleet server', 'gateway'])(
  'promtool has nothing to say against the metrics of a %s',
  async (name) => {
    const { url, token } = places[name]!;
    const response = await fetch(
      `${url}/metrics`,
      token ? { headers: { authorization: `Bearer ${token}` } } : {},
    );
    const text = await response.text();
    expect([response.status, text.match(/^# TYPE /gm)?.length]).toEqual([200, expect.any(Number)]);
    expect(await run('promtool', ['check', 'metrics'], process.env, text)).toEqual({ code: 0, out: '' });
    proofReport(`promtool: exit 0 for ${text.match(/^# HELP /gm)!.length} metrics of a ${name}`);
  },
);
