import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetClient, readTokenFile } from '../../src/client/index.ts';
import { openEmbedded } from '../../src/db/index.ts';
import { serverFiles } from '../../src/fleet/index.ts';
import { TEMPLATES } from '../support/fleet.ts';

/** Nothing that one org can store makes a list slow, on a real server. Turns of orgs: src/fleet/http/org-turns.test.ts. */
const BIN = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-fair-'));
let server: ChildProcess;
let url = '';
let root: FleetClient;
let worst: Awaited<ReturnType<typeof tenant>>;

const FLOODERS = 1;

async function tenant(name: string, people: number) {
  await root.call('admin.orgs.create', { body: { name } });
  const make = async (kind: 'user' | 'admin', subject: string) => {
    const { token } = await root.createToken({ kind, subject, org: name });
    return new FleetClient({ url, token });
  };
  const users: FleetClient[] = [];
  for (let n = 0; n < people; n++) users.push(await make('user', `p${n}`));
  return { users, admin: await make('admin', 'lead') };
}

beforeAll(async () => {
  const { database } = serverFiles(home);
  await (await openEmbedded({ directory: database, templateDirectory: TEMPLATES })).close();
  const env = { ...process.env, ROUSE_HOME: home, HOME: home, DATABASE_URL: '', ROUSE_FLEET_URL: '' };
  const limits = { ROUSE_MAX_REQUESTS_PER_SECOND: '100000' };
  server = spawn(process.execPath, [BIN, 'server', 'start', '--port', '0', '--print-json'], {
    env: { ...env, ...limits },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(server.stdout!, 'data')) as [Buffer];
  const said = JSON.parse(String(line)) as { url: string; admin_token_file: string };
  url = said.url;
  root = new FleetClient({ url, token: readTokenFile(said.admin_token_file) });
  worst = await tenant('worst', FLOODERS);
});
afterAll(async () => {
  server?.kill('SIGTERM');
  if (server?.exitCode === null) await once(server, 'exit');
  fs.rmSync(home, { recursive: true, force: true });
});

const agentOf = (name: string, more: object = {}) => ({
  body: { agent_id: name, name, session_id: 's', ...more },
});

describe('an org that does its worst', () => {
  it('an org cannot store what makes a list heavy', async () => {
    const [user] = worst.users as [FleetClient];
    await expect(
      user.call('registry.register', agentOf('fat', { gateway: { x: 'x'.repeat(3_900_000) } })),
    ).rejects.toMatchObject({ code: 'invalid' });
    for (let n = 0; n < 60; n++)
      await user.call('registry.register', agentOf(`a${n}`, { gateway: { x: 'x'.repeat(7000) } }));
    for (let n = 0; n < 60; n++)
      await user.call('requests.create', {
        body: {
          kind: 'task',
          recipient_type: 'user',
          title: `t${n}`,
          detail: '\u{1F600}'.repeat(20_000),
        },
      });
    const { agents } = await user.call('registry.agents.list', { limit: 1000 });
    expect(agents.length).toBe(60);
    expect(Buffer.byteLength(JSON.stringify(agents))).toBeLessThan(200_000);
    const page = await user.call('requests.pending', { limit: 200 });
    expect(page.requests.length).toBeLessThan(30);
    expect(page.truncated).toBe(true);
    expect(page.total_open).toBe(60);
  });
});
