import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { persist } from '../fleet/replica-servers.ts';
import { inWords, proofReport } from '../support/proof-report.ts';
import { drawnFor } from '../support/sample.ts';
import { FleetHost, type HostAgent } from './fleet-host.ts';
import { FleetServers } from './fleet-servers.ts';
import { type HostNetwork, openNetwork } from './host-network.ts';

const FULL = process.env['ROUSE_PROOF'] === 'full';
const SIZE = FULL
  ? { agentsPerHost: 2, messages: 150, requests: 30, troubles: 18, letters: 9 }
  : { agentsPerHost: 1, messages: 9, requests: 3, troubles: 3, letters: 2 };
const FIVE_MINUTES = 5 * 60_000;
const CLOCKS = [FIVE_MINUTES, -FIVE_MINUTES, 0];
const WAIT = { timeout: FULL ? 600_000 : 120_000, interval: 200 };

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Real namespaces where possible, real tmux, gateways and servers, one PostgreSQL; clocks that disagree. */
describe('three hosts and two servers', () => {
  let network: HostNetwork;
  let servers: FleetServers;
  const hosts: FleetHost[] = [];
  const agents: HostAgent[] = [];
  const happened = {
    partitions: 0,
    servers_killed: 0,
    servers_restarted: 0,
    database_restarts: 0,
    gateways_killed: 0,
  };
  const counts = { sent: 0, received: 0, lost: 0, doubled: 0, requests: 0, letters: 0 };

  beforeAll(async () => {
    network = openNetwork(CLOCKS.length);
    servers = await FleetServers.open(network.serverAddress);
    for (const [number, clockMs] of CLOCKS.entries()) {
      // Each host knows another server first.
      const ports = number % 2 === 0 ? servers.ports : [...servers.ports].reverse();
      const host = new FleetHost({ number, network, ports, token: servers.token, clockMs });
      hosts.push(host);
      await host.open();
      for (let n = 0; n < SIZE.agentsPerHost; n++) agents.push(await host.launch(`agent-${number}-${n}`));
    }
  }, 600_000);

  afterAll(async () => {
    proofReport(
      `three hosts on ${network?.kind}, clocks ${CLOCKS.map((ms) => `${ms / 60_000}`).join(', ')} minutes: ${inWords(happened)}`,
      inWords(counts),
    );
    for (const host of hosts) await host.close();
    await servers?.close();
    network?.close();
  }, 300_000);

  const count = async (query: string, values: string[] = []): Promise<number> =>
    (await servers.sql.query<{ n: number }>(`SELECT (${query})::int AS n`, values)).rows[0]!.n;
  const online = () => count(`SELECT count(*) FROM workspaces WHERE status = 'online'`);
  const targets = async (): Promise<Map<string, string>> =>
    new Map(
      (
        await persist(() =>
          servers.sql.query<{ name: string; id: string }>('SELECT name, id FROM workspaces'),
        )
      ).rows.map(({ name, id }) => [name, id]),
    );

  it('on three hosts every agent is online, whatever the clock of its host shows', async () => {
    await expect.poll(online, WAIT).toBe(agents.length);
    for (const { name, host } of agents)
      expect((await host.rouse('fleet', 'show', name)).stdout, name).toContain('online');
  }, 300_000);

  it('three hosts and two servers, cut, killed and restarted at any time, lose and double no message and no request', async () => {
    const ids = await targets();
    const sending = Promise.all([sendMessages(ids), fileRequests()]);
    for (let number = 0; number < SIZE.troubles; number++) await makeTrouble(number);
    const [marks, requests] = await sending;
    await expect
      .poll(
        () => persist(() => count(`SELECT count(*) FROM a2a_queue WHERE status IN ('queued', 'dispatched')`)),
        WAIT,
      )
      .toBe(0);
    await expect.poll(() => missing(marks).length, WAIT).toBe(0);
    counts.sent = marks.length;
    for (const { mark, to } of marks) {
      const times = timesOf(mark);
      const all = times.reduce((sum, each) => sum + each, 0);
      counts.received += Math.min(1, all);
      counts.lost += Number(all === 0);
      counts.doubled += Math.max(0, all - 1);
      expect(times[agents.findIndex(({ name }) => name === to)], `${mark} to ${to}`).toBe(1);
    }
    expect(counts).toMatchObject({ sent: marks.length, received: marks.length, lost: 0, doubled: 0 });
    // Scripted agents answer announced requests, and others that they find in their inbox before the announcement.
    const answered = `SELECT count(*) FROM request_events WHERE type = 'REQUEST_RESPONDED'`;
    await expect.poll(() => count(answered), WAIT).toBe(SIZE.requests);
    expect(await count('SELECT count(*) FROM requests')).toBe(SIZE.requests);
    for (const { mark } of requests)
      expect(
        timesOf(mark).reduce((sum, each) => sum + each, 0),
        mark,
      ).toBeLessThanOrEqual(1);
    counts.requests = SIZE.requests;
    expect(
      await count(`SELECT count(*) FROM a2a_queue WHERE status <> 'completed'
        AND last_error IS DISTINCT FROM 'the request was closed before'`),
    ).toBe(0);
    await expect.poll(online, WAIT).toBe(agents.length);
  }, 1_800_000);

  it('a command on a host that is cut off says so, changes nothing, and does the same once when the host is back', async () => {
    const [host] = hosts as [FleetHost];
    const file = () =>
      host.rouse(
        ...['requests', 'create', '--to-agent', agents.at(-1)!.name, '--title', 'from another host'],
        ...['--idempotency-key', 'once'],
      );
    const filed = () => count(`SELECT count(*) FROM requests WHERE title = 'from another host'`);
    network.cut(host.number);
    const refused = await file();
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/fleet server/);
    expect(await filed()).toBe(0);
    network.heal(host.number);
    for (let times = 0; times < 2; times++) {
      const said = await file();
      expect([said.code, said.stderr]).toEqual([0, '']);
    }
    expect(await filed()).toBe(1);
  }, 300_000);

  it('mail goes from host to host once, with a cut and a killed server while it is sent', async () => {
    const [from, to] = [agents[0]!, agents.at(-1)!];
    const send = (letter: string) =>
      from.host.rouse(
        ...['agents', 'mail', 'send', '--agent-name', from.name, '--to', `${to.name}@default.fleet`],
        ...['--subject', letter, '--body-content', 'from another host', '--idempotency-key', letter],
      );
    const letters = Array.from({ length: SIZE.letters }, (_, n) => `letter ${n}`);
    for (const [n, letter] of letters.entries()) {
      if (n % 3 === 0) {
        network.cut(from.host.number);
        expect((await send(letter)).code).not.toBe(0);
        network.heal(from.host.number);
      }
      const restarted =
        n % 3 === 1 ? servers.end(0, 'SIGKILL').then(() => servers.start(0)) : Promise.resolve();
      await expect.poll(async () => (await send(letter)).code, WAIT).toBe(0);
      await restarted;
      // Sends it again, as a person who is not sure does.
      expect((await send(letter)).code).toBe(0);
    }
    const list = ['agents', 'mail', 'list', '--print-json', '--limit', '100', '--agent-name', to.name];
    const { stdout } = await to.host.rouse(...list);
    const { messages } = JSON.parse(stdout) as { messages: { subject: string }[] };
    expect(messages.map(({ subject }) => subject).sort()).toEqual([...letters].sort());
    counts.letters = messages.length;
  }, 600_000);

  /** How often each agent received it. */
  const timesOf = (mark: string): number[] =>
    agents.map((agent) => agent.received().filter((text) => text.includes(mark)).length);
  const missing = (marks: Mark[]): Mark[] => {
    const received = agents.flatMap((agent) => agent.received()).join('\n');
    return marks.filter(({ mark }) => !received.includes(mark));
  };

  interface Mark {
    mark: string;
    to: string;
  }

  /** Sends through either server, again with the same key until one has it. */
  async function sendMessages(ids: Map<string, string>): Promise<Mark[]> {
    const sent: Mark[] = [];
    for (let n = 0; n < SIZE.messages; n++) {
      const to = agents[n % agents.length]!.name;
      const mark = `message-${n}-of-the-proof`;
      let tries = n;
      await persist(() =>
        servers.client(tries++ % 2).call('a2a.enqueue', {
          workspace_id: ids.get(to)!,
          body: { params: { message: { messageId: mark, parts: [{ text: `please see to ${mark}` }] } } },
        }),
      );
      sent.push({ mark, to });
      await pause(100);
    }
    return sent;
  }

  /** The server announces each to the agent by a message with its id. */
  async function fileRequests(): Promise<Mark[]> {
    const filed: Mark[] = [];
    for (let n = 0; n < SIZE.requests; n++) {
      const to = agents[(n * 7) % agents.length]!.name;
      let tries = n;
      const { request_id } = await persist(() =>
        servers.client(tries++ % 2).request<{ request_id: string }>('POST', '/requests', {
          kind: 'task',
          recipient_type: 'agent',
          recipient_id: to,
          title: `request ${n}`,
          idempotency_key: `request-${n}`,
        }),
      );
      filed.push({ mark: request_id, to });
      await pause(300);
    }
    return filed;
  }

  const random = drawnFor(import.meta.filename);

  async function makeTrouble(number: number): Promise<void> {
    const victim = number % 2;
    switch ((FULL ? number : number * 2) % 6) {
      case 0:
      case 3: {
        const cut = [number % hosts.length, ...(number % 4 === 3 ? [(number + 1) % hosts.length] : [])];
        for (const host of cut) network.cut(host);
        await pause(2000 + random.next() * (FULL ? 8000 : 1000));
        for (const host of cut) network.heal(host);
        happened.partitions += cut.length;
        break;
      }
      case 1:
        await servers.end(victim, 'SIGTERM');
        await servers.start(victim);
        happened.servers_restarted++;
        break;
      case 2:
        await servers.end(victim, 'SIGKILL');
        await pause(random.next() * 3000);
        await servers.start(victim);
        happened.servers_killed++;
        break;
      case 4:
        await servers.postgres.restart();
        happened.database_restarts++;
        break;
      default:
        process.kill(agents[number % agents.length]!.gatewayPid(), 'SIGKILL');
        happened.gateways_killed++;
    }
    await pause(1000);
  }
});
