import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ending, silentLog, systemClock } from '../../src/base/index.ts';
import { ensureOrg, startServer } from '../../src/fleet/index.ts';
import { initMailStore } from '../../src/mail/index.ts';
import { IDLE, SimulatedAgents } from './simulated-agents.ts';

export const AGENTS = 200;
const MESSAGES = 10_000;
const REQUESTS = 2000;

export interface PageWorld {
  agents: SimulatedAgents;
  origin: string;
  /** The pid of the server's process. */
  pid: number;
}

/** A host with many agents, messages and open requests, and a server in a separate process that shows them. */
export async function openWorld(ending: Ending): Promise<PageWorld> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-page-'));
  const agents = new SimulatedAgents(home);
  ending.add(() => agents.end());
  await writeMail(path.join(home, 'mailbox'));
  for (let n = 0; n < AGENTS; n++) agents.glance(await agents.add(`agent-${n}`), IDLE, n % 5);
  const server = fork(fileURLToPath(import.meta.url), ['serve', home], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  ending.add(async () => {
    server.disconnect();
    await once(server, 'exit');
  });
  const [origin] = (await once(server, 'message')) as [string];
  return { agents, origin, pid: server.pid! };
}

async function writeMail(root: string): Promise<void> {
  const store = initMailStore({ root, clock: systemClock });
  const address = (n: number): string => `agent-${n}@test`;
  for (let n = 0; n < AGENTS; n++)
    store.register({ address: address(n), owner_principal_id: `HOUMAO-agent-${n}`, mode: 'safe' });
  const boxes = Array.from({ length: AGENTS }, (_, n) => store.mailbox(address(n)));
  for (let from = 0; from < MESSAGES; from += AGENTS)
    await Promise.all(
      boxes.map((box, n) =>
        box.send({
          to: [address((n + 1 + (from % 97)) % AGENTS)],
          subject: `message ${from + n}`,
          body_content: `Please look at item ${from + n}. `.repeat(8),
        }),
      ),
    );
  await store.close();
}

/** Runs in the server's process until its parent closes its input. */
export async function serveWorld(home: string): Promise<void> {
  const at = (name: string): string => path.join(home, name);
  const settings = {
    runtimeDir: at('runtime'),
    mailboxDir: at('mailbox'),
    registryDir: at('registry'),
    tmuxSocket: at('tmux'),
  };
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    databaseUrl: undefined,
    databaseDirectory: at('database'),
    clock: systemClock,
    log: silentLog,
    limits: { requests: { burst: 1e6, perSecond: 1e6 }, badTokens: { burst: 1e6, perSecond: 1e6 } },
    agents: { settings, env: { PATH: process.env['PATH'], HOME: home, ROUSE_HOME: home } },
  });
  const { id: orgId } = await ensureOrg(server.sql, 'default');
  await server.sql.query(
    `INSERT INTO workspaces (id, org_id, agent_id, name, status)
     SELECT md5('agent' || n)::uuid, $1::uuid, 'far-' || n, 'far-' || n, 'offline' FROM generate_series(1, 20) n`,
    [orgId],
  );
  await server.sql.query(
    `INSERT INTO requests (id, org_id, kind, requester_type, requester_id, recipient_type, recipient_id,
       recipient_workspace_id, title, detail, status, created_at)
     SELECT md5('request' || n)::uuid, $1::uuid, 'task', 'user', 'ana', 'agent', md5('agent' || (n % 20 + 1))::uuid::text,
       md5('agent' || (n % 20 + 1))::uuid, 'Please look at item ' || n, repeat('detail ', 15), 'pending', now()
     FROM generate_series(1, ${REQUESTS}) n`,
    [orgId],
  );
  process.send!(`http://127.0.0.1:${server.port}`);
  await once(process, 'disconnect');
  await server.stop();
  process.exit(0);
}
