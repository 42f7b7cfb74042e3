import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { type Ending, unavailable } from '../base/index.ts';
import { fleetClientOf, TicketsClient } from '../client/index.ts';
import { packageRoot } from '../session/index.ts';

export interface Fleet {
  url: string;
  /** The address of the page, with a one-time code. */
  page: string;
  tokenFile: string;
  tickets: TicketsClient;
}

/** The link to the page works for this long. */
const PAGE_SECONDS = 86_400;

/** The fleet server as a process of its own, on the embedded database, as `rouse server start` runs it. */
export async function startFleetServer(home: string, env: NodeJS.ProcessEnv, ending: Ending): Promise<Fleet> {
  const { DATABASE_URL: _, ROUSE_DATABASE_DIRECT_URL: __, ...clean } = env;
  const program = path.join(packageRoot(), 'dist', 'rouse.cjs');
  const server = spawn(process.execPath, [program, '--print-json', 'server', 'start', '--port', '0'], {
    env: { ...clean, ROUSE_HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
    // Ctrl-C must reach only the demo, which ends the server after its agents.
    detached: true,
  });
  const ended = once(server, 'close');
  ending.add(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  const [line] = (await Promise.race([
    once(createInterface({ input: server.stdout }), 'line'),
    ended.then(([code]) => Promise.reject(unavailable(`the fleet server ended with code ${code}`))),
  ])) as [string];
  const { url, admin_token_file: tokenFile } = JSON.parse(line) as { url: string; admin_token_file: string };
  const client = fleetClientOf({ url, tokenFile });
  const { code } = await client.call('page.codes.create', {
    body: { name: 'you', ttl_seconds: PAGE_SECONDS },
  });
  return { url, page: `${url}/ui/#code=${code}`, tokenFile, tickets: new TicketsClient(client) };
}
