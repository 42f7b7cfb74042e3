import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import * as http from 'node:http';
import * as https from 'node:https';
import * as path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readTokenFile } from '../../src/client/index.ts';
import { openEmbedded } from '../../src/db/index.ts';
import { serverFiles } from '../../src/fleet/index.ts';
import { FLEET_ACCESS } from '../../src/wire/access-rules.ts';
import { FLEET_ROUTES } from '../../src/wire/fleet-routes.ts';
import { PAGE_HEADER } from '../../src/wire/index.ts';
import { fillPath } from '../../src/wire/place.ts';
import type { Route } from '../../src/wire/route.ts';
import { asOtherAccount, isRoot } from '../attack/call.ts';
import { TEMPLATES } from '../support/fleet.ts';
import { freePort, isListening, startNginx, type TestNginx } from '../support/nginx.ts';
import { TestWorld } from '../support/test-world.ts';

/** The recipe of docs/proxy.md, verbatim except for ports and files, with a real nginx under the server's own account. */
const ROOT = path.resolve(import.meta.dirname, '../..');
const BIN = path.join(ROOT, 'dist', 'rouse.cjs');
const NAME = 'fleet.example.org';

let world: TestWorld;
let nginx: TestNginx | undefined;
let server: ChildProcess | undefined;
let [behind, front] = [0, 0];
async function open(): Promise<void> {
  world = new TestWorld();
  [behind, front] = [await freePort(), await freePort()];
}

async function close(): Promise<void> {
  await nginx?.stop();
  nginx = undefined;
  if (server && server.exitCode === null) {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  server = undefined;
  await world.close();
}

/** The block of a language in the recipe. */
function recipe(language: string): string {
  const text = fs.readFileSync(path.join(ROOT, 'docs', 'proxy.md'), 'utf8');
  return new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(text)![1]!;
}

function proxyAsInRecipe(): Promise<TestNginx> {
  const key = path.join(world.directory, 'fleet.key');
  const tls = path.join(import.meta.dirname, 'tls');
  fs.writeFileSync(key, fs.readFileSync(path.join(tls, 'first.key')), { mode: 0o600 });
  const block = recipe('nginx')
    .replace('listen 443', `listen 127.0.0.1:${front}`)
    .replace('127.0.0.1:9889', `127.0.0.1:${behind}`)
    .replace('/etc/ssl/fleet.pem', path.join(tls, 'first.pem'))
    .replace('/etc/ssl/private/fleet.key', key);
  return startNginx(block, front);
}

const env = (): NodeJS.ProcessEnv => ({ ...world.context.env, ROUSE_FLEET_URL: '', DATABASE_URL: '' });

/** The flags of the recipe, with the port that nginx has here. */
const recipeFlags = (): string[] =>
  recipe('sh')
    .trim()
    .replace(NAME, `${NAME}:${front}`)
    .split(' ')
    .slice('rouse server start'.split(' ').length);

async function startServer(...flags: string[]): Promise<void> {
  const { database } = serverFiles(world.home);
  await (await openEmbedded({ directory: database, templateDirectory: TEMPLATES })).close();
  const words = [BIN, '--print-json', 'server', 'start', '--port', String(behind), ...flags];
  server = spawn(process.execPath, words, { env: env(), stdio: ['ignore', 'pipe', 'pipe'] });
  const errors = text(server.stderr!);
  await Promise.race([
    once(server.stdout!, 'data'),
    once(server, 'exit').then(async () => Promise.reject(new Error(await errors))),
  ]);
}

async function rouse(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, [BIN, ...words], { env: env(), stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { code, out, err };
}

interface Said {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A call from outside: by name, over TLS, through nginx. */
function ask(
  method: string,
  at: string,
  headers: http.OutgoingHttpHeaders = {},
  body?: unknown,
): Promise<Said> {
  return new Promise((resolve, reject) => {
    const sent = { host: `${NAME}:${front}`, 'content-type': 'application/json', ...headers };
    const request = https.request({
      ...{ host: '127.0.0.1', port: front, servername: NAME, rejectUnauthorized: false },
      ...{ method, path: at, headers: sent, agent: false },
    });
    request.on('error', reject).on('response', async (response) => {
      const said = await text(response);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: said });
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const bearer = (): { authorization: string } => ({
  authorization: `Bearer ${readTokenFile(serverFiles(world.home).adminToken)}`,
});
const LAUNCH = { tool: 'command', args: ['/usr/bin/env'], agent_name: 'thief', working_directory: '/tmp' };

describe('through the proxy of the recipe', () => {
  beforeAll(async () => {
    await open();
    await startServer(...recipeFlags());
    nginx = await proxyAsInRecipe();
  });
  afterAll(close);

  it('through the proxy of the recipe a token works; without one only what is open to all is served', async () => {
    expect((await ask('GET', '/registry/agents', bearer())).status).toBe(200);
    expect((await ask('GET', '/houmao/agents', bearer())).status).toBe(200);
    const wrong: string[] = [];
    for (const { id, method, path: at, access } of Object.values<Route>(FLEET_ROUTES)) {
      const isOpen = FLEET_ACCESS[access as keyof typeof FLEET_ACCESS].outcomes[1] === 'yes';
      const verb = method === 'ALL' ? 'POST' : method;
      const good = id === 'page.login' ? { code: 'guessed' } : {};
      const body = /POST|PUT/.test(verb) ? good : undefined;
      const { status } = await ask(
        verb,
        fillPath(at, () => 'x'),
        {},
        body,
      );
      if ((status === 401) === isOpen) wrong.push(`${id}: ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  it('through the proxy of the recipe nothing is launched without a token, with another Host or by another account', async () => {
    for (const host of [`${NAME}:${front}`, 'localhost', '127.0.0.1', `127.0.0.1:${behind}`]) {
      const said = await ask('POST', '/houmao/launches', { host }, LAUNCH);
      expect([host, said.status, said.headers['www-authenticate']]).toEqual([host, 401, 'Bearer']);
    }
    if (!isRoot) return;
    const program = `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      fetch('https://127.0.0.1:${front}/houmao/launches', { method: 'POST', headers: { 'content-type': 'application/json' },
        body: ${JSON.stringify(JSON.stringify(LAUNCH))} }).then((r) => console.log(r.status));`;
    expect(await asOtherAccount<number>(program, null)).toBe(401);
    const direct = program.replace(`https://127.0.0.1:${front}`, `http://127.0.0.1:${behind}`);
    expect(await asOtherAccount<number>(direct, null)).toBe(401);
  });

  it('through the proxy of the recipe a link to the page opens a session, and nothing changes for the owner', async () => {
    const { out } = await rouse('--print-json', 'dashboard', '--link', '--as', 'mia');
    const { url } = JSON.parse(out) as { url: string };
    expect(url).toMatch(new RegExp(`^https://fleet\\.example\\.org:${front}/ui/#code=`));
    const origin = { origin: `https://${NAME}:${front}`, 'sec-fetch-site': 'same-origin' };
    expect((await ask('GET', '/ui/', { 'sec-fetch-site': 'none' })).body).toContain('<!doctype html>');
    const code = url.split('#code=')[1];
    const login = await ask('POST', '/ui/api/session', origin, { code });
    expect([login.status, login.headers['set-cookie']?.[0]]).toEqual([
      200,
      expect.stringContaining('; Secure'),
    ]);
    const cookie = login.headers['set-cookie']![0]!.split(';')[0]!;
    const { csrf } = JSON.parse(login.body) as { csrf: string };
    const session = { ...origin, cookie, [PAGE_HEADER]: csrf };
    expect((await ask('GET', '/ui/api/snapshot', session)).status).toBe(200);
    expect((await ask('GET', '/ui/api/snapshot', origin)).status).toBe(401);
    expect((await ask('POST', '/houmao/server/shutdown', session, {})).status).toBe(401);
    expect((await rouse('server', 'status')).code).toBe(0);
  });
});

describe('a proxy that was not named', () => {
  beforeEach(open);
  afterEach(close);

  it.each([
    ['--public-url', `https://${NAME}`],
    ['--allow-host', NAME],
  ])('a proxy that was not named but is meant by %s keeps the server from starting', async (...flags) => {
    const said = await rouse('server', 'start', '--port', String(behind), ...flags);
    expect([said.code, said.err]).toEqual([2, expect.stringContaining('--trusted-proxy 127.0.0.1')]);
    expect(await isListening(behind)).toBe(false);
    expect((await rouse('server', 'install', '--print', ...flags)).code).toBe(2);
  });

  it.each([
    ['::1', '::1'],
    ['localhost', '127.0.0.1'],
    ['127.0.0.5', '127.0.0.1'],
  ])(
    'a proxy that was not named is suggested by the address from which it reaches a listener on %s',
    async (host, proxy) => {
      const said = await rouse(
        'server',
        'start',
        '--host',
        host,
        '--port',
        String(behind),
        '--allow-host',
        NAME,
      );
      expect([said.code, said.err]).toEqual([2, expect.stringContaining(`"--trusted-proxy ${proxy}"`)]);
    },
  );

  it('no caller behind a proxy that was not named is the owner: nginx by default, with the name passed on, with its caller named', async () => {
    await startServer();
    expect(await asked(behind)).toBe(200);
    for (const settings of [
      '',
      'proxy_http_version 1.1; proxy_set_header Host $host;',
      'proxy_http_version 1.1; proxy_set_header X-Real-IP $remote_addr;',
    ]) {
      const to = `location / { proxy_pass http://127.0.0.1:${behind}; ${settings} }`;
      nginx = await startNginx(`server { listen 127.0.0.1:${front}; ${to} }`, front);
      expect([401, 403]).toContain(await asked(front, { host: NAME }));
      await nginx.stop();
      nginx = undefined;
    }
  });

  const asked = (port: number, headers = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const about = { host: '127.0.0.1', port, path: '/houmao/agents', headers, agent: false };
      http.get(about, (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject);
    });
});
