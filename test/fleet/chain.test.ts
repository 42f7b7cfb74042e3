import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionFleet, TicketsClient } from '../../src/client/index.ts';
import { NUDGE_DEFAULTS } from '../../src/fleet/nudge/index.ts';
import type { SessionContext } from '../../src/session/index.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';

const ROUSE = path.resolve(import.meta.dirname, '../../bin/rouse');

/** Scripted agents in tmux whose gateways belong to a fleet. */
class FleetWorld extends TestWorld {
  readonly #url: string;
  readonly #tokenFile = path.join(this.directory, 'token');

  constructor({ url, tokens }: TestFleet) {
    super();
    this.#url = url;
    fs.writeFileSync(this.#tokenFile, tokens.user, { mode: 0o600 });
  }

  override get context(): SessionContext {
    const { settings, ...context } = super.context;
    return { ...context, settings: { ...settings, fleet: { url: this.#url, tokenFile: this.#tokenFile } } };
  }
}

describe('a request that is ignored', () => {
  let fleet: TestFleet;
  let world: FleetWorld;

  beforeEach(async () => {
    fleet = await startFleet({ config: { nudge: { ...NUDGE_DEFAULTS, intervalSeconds: 1 } } });
    world = new FleetWorld(fleet);
  });
  afterEach(async () => {
    await world.close();
    await fleet.stop();
  });

  it('a request that is ignored brings one nudge by heartbeat into the terminal of its agent, and the requester learns the answer given by the MCP tool', async () => {
    const mcpConfig = path.join(world.directory, 'mcp.json');
    const asker = await world.agent('asker');
    const worker = await world.agent('worker', ['--mcp-config', mcpConfig]);
    await until(async () =>
      (await fleet.admin.call('registry.agents.list', {})).agents.every(({ status }) => status === 'online'),
    );

    const filed = await requestsOf(asker).create({
      kind: 'task',
      recipient_type: 'agent',
      recipient_id: 'worker',
      title: 'Water the plants',
    });
    const id = filed.request_id;
    // The notice comes at once; without its tools the agent cannot act on it.
    await until(() =>
      worker.received().some((prompt) => prompt.includes(`A new inbox request (task, ${id})`)),
    );
    await until(() => recorded(worker).includes('requests_failed'));
    expect(await statusOf(id)).toBe('pending');
    expect(nudgesIn(worker)).toEqual([]);

    fs.writeFileSync(
      mcpConfig,
      JSON.stringify({
        mcpServers: { rouse: { command: ROUSE, args: ['mcp'], env: environmentOf(worker) } },
      }),
    );
    await fleet.sql.query(
      `UPDATE requests SET created_at = created_at - interval '11 minutes' WHERE id = $1`,
      [id],
    );
    await until(() => nudgesIn(worker).length > 0);
    await until(async () => (await statusOf(id)) === 'done');
    await until(() => asker.received().some((prompt) => prompt.includes(`Request ${id} was answered: done`)));

    const { request } = await requestsOf(asker).get(id);
    expect(request).toMatchObject({ status: 'done', responder_type: 'agent' });
    // Settled with its outcome in the agent's terminal, and announced once.
    await until(async () => (await queued('')).every(({ outcome }) => outcome !== null));
    expect(nudgesIn(worker)).toEqual([
      expect.stringContaining('You have 1 unhandled inbox request awaiting your response.'),
    ]);
    const run = await fleet.admin.request<{ result: object }>('POST', '/admin/sweepers/request-nudge/run');
    expect(run.result).toMatchObject({ agents_nudged: 0, errors: 0 });
    expect((await queued('nudge')).map(({ status }) => status)).toEqual(['completed']);
  }, 240_000);

  function requestsOf(agent: WorldAgent): TicketsClient {
    const { tokenFile } = sessionFleet(agent.facts.root)!;
    const token = fs.readFileSync(tokenFile, 'utf8').trim();
    return new TicketsClient(fleet.as(token));
  }

  const environmentOf = (agent: WorldAgent): Record<string, string> => ({
    ROUSE_HOME: world.home,
    HOUMAO_MANIFEST_PATH: path.join(agent.facts.root, 'manifest.json'),
  });

  const nudgesIn = (agent: WorldAgent): string[] =>
    agent.received().filter((prompt) => prompt.includes('unhandled inbox request'));

  const recorded = (agent: WorldAgent): string => fs.readFileSync(agent.transcript, 'utf8');

  const statusOf = async (id: string): Promise<string> =>
    (await fleet.sql.query<{ status: string }>('SELECT status FROM requests WHERE id = $1', [id])).rows[0]!
      .status;

  /** Messages by a part of their key; all of them for an empty one. */
  const queued = async (about: string): Promise<{ status: string; outcome: string | null }[]> =>
    (
      await fleet.sql.query<{ status: string; outcome: string | null }>(
        `SELECT status, outcome FROM a2a_queue WHERE position($1 IN idempotency_key) > 0`,
        [about],
      )
    ).rows;

  async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await condition())) await new Promise<void>((resolve) => setTimeout(resolve, 50));
  }
});
