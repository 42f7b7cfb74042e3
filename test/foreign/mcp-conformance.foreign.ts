import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Ending } from '../../src/base/index.ts';
import { ensureAgentToken } from '../../src/client/index.ts';
import { cliAgent } from '../support/cli-agent.ts';
import { startFleet } from '../support/fleet.ts';
import { proofReport } from '../support/proof-report.ts';
import { runForeign } from './run-foreign.ts';
import { withToken } from './with-token.ts';

/** The parts of the suite that work on servers without its diagnostic tools, and the minimum number of passing checks. */
const SCENARIOS = {
  'http-header-validation': 14,
  'server-stateless': 24,
  'dns-rebinding-protection': 2,
  'server-initialize': 2,
  'tools-list': 3,
  ping: 2,
  'input-required-result-unsupported-methods': 2,
};

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

const ending = new Ending();
const urls: Record<string, string> = {};
const reached: string[] = [];

beforeAll(async () => {
  const fleet = await startFleet();
  ending.add(() => fleet.stop());
  const { token } = await fleet.agent('gpu');
  const agent = await cliAgent(ending);
  const { gateway } = await agent.attach();
  const ways = {
    'a gateway': await withToken(`http://127.0.0.1:${gateway.port}`, ensureAgentToken(agent.sessionRoot)),
    'the fleet server': await withToken(fleet.url, token),
  };
  for (const [name, way] of Object.entries(ways)) {
    ending.add(() => way.close());
    urls[name] = `${way.url}/mcp`;
  }
});
afterAll(async () => {
  proofReport(`MCP conformance, checks that hold: ${reached.join(', ')}`);
  await ending.run();
});

async function checksOf(scenario: string, url: string): Promise<Check[]> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-conformance-'));
  try {
    const { out } = await runForeign('conformance', [
      ...['server', '--url', url, '--scenario', scenario, '--output-dir', directory],
    ]);
    const [run] = fs.readdirSync(directory);
    if (!run) throw new Error(`no result of ${scenario}: ${out.slice(-2000)}`);
    return JSON.parse(fs.readFileSync(path.join(directory, run, 'checks.json'), 'utf8')) as Check[];
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

describe.each(['a gateway', 'the fleet server'])('the MCP conformance suite, at %s', (door) => {
  it.each(Object.entries(SCENARIOS))(
    '%s: at least %i checks hold, and none fails',
    async (scenario, floor) => {
      const checks = await checksOf(scenario, urls[door]!);
      const failed = checks.filter(
        ({ status, errorMessage = '' }) =>
          (status === 'FAILURE' || status === 'WARNING') && !errorMessage.startsWith('Not testable: '),
      );
      expect(failed).toEqual([]);
      const held = checks.filter(({ status }) => status === 'SUCCESS').length;
      reached.push(`${scenario} ${held}`);
      expect(held).toBeGreaterThanOrEqual(floor);
    },
  );
});
