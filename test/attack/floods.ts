import { once } from 'node:events';
import * as http from 'node:http';
import * as net from 'node:net';
import { ask, asProgram, startAsOther } from './call.ts';
import { DESCRIPTORS, QUEUE_ROWS, type Stage } from './stage.ts';
import type { Tries } from './tries.ts';

const inParallel = async (many: number, max: number, work: (n: number) => Promise<void>): Promise<void> => {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < many) await work(next++);
  };
  await Promise.all(Array.from({ length: max }, worker));
};

/** Guesses tokens. A caller with a good token that was never used before is served in the meantime. */
export async function badTokens(stage: Stage, tries: Tries, kind: string, many: number): Promise<void> {
  const at = { port: stage.fleetPort, method: 'GET', path: '/registry/agents' };
  const good = [stage.tokens['server admin']!, stage.tokens['user']!];
  await inParallel(many, 8, async (n) => {
    const token = `rouse_${String(n).padStart(43, 'g')}`;
    const { status } = await ask(asProgram(at, token));
    tries.add(kind, ![401, 429].includes(status) && `guess ${n}: ${status}`);
    if (n % Math.ceil(many / 10) !== 0) return;
    const served = await ask(asProgram(at, good[n % 2]));
    if (served.status !== 200) tries.found(kind, `a good token beside guesses: ${served.status}`);
  });
}

const HOLDING = `const net = require('net'); require('stream/consumers').text(process.stdin).then((input) => {
  const { port, many } = JSON.parse(input); let open = 0, ended = 0;
  const done = () => { if (open + ended >= many) { console.log(JSON.stringify(open)); setTimeout(() => process.exit(), 60000); } };
  for (let i = 0; i < many; i++) { const s = net.connect(port, '127.0.0.1'); let up = false;
    s.on('connect', () => setTimeout(() => { if (!s.destroyed) { up = true; open++; done(); } }, 1000));
    s.on('error', () => {}); s.on('close', () => { if (!up) { ended++; done(); } }); } });`;

/** More connections than the gateway has descriptors: it must survive, and serve again when they are gone. */
export async function connections(stage: Stage, tries: Tries, kind: string): Promise<void> {
  const sockets: net.Socket[] = [];
  for (let n = 0; n < 2 * DESCRIPTORS; n++) {
    const socket = net.connect(stage.gatewayPort, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    tries.add(kind);
  }
  await Promise.all(
    sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
  );
  if (!stage.isWhole) tries.found(kind, 'a server is gone');
  for (const socket of sockets) socket.destroy();
  if (!(await stage.served(stage.gatewayPort))) tries.found(kind, 'the owner is not served afterwards');
}

/** The same by another account, which holds them: the owner is still served. */
export async function heldByOthers(stage: Stage, tries: Tries, kind: string): Promise<void> {
  for (const port of [stage.gatewayPort, stage.fleetPort]) {
    const many = 2 * DESCRIPTORS;
    const child = startAsOther(HOLDING, { port, many });
    await once(child.stdout, 'data');
    for (let n = 0; n < many; n++) tries.add(kind);
    const { status } = await ask(asProgram({ port, method: 'GET', path: '/openapi.json' }));
    if (status !== 200)
      tries.found(kind, `the owner beside ${many} connections of another account: ${status}`);
    child.kill('SIGKILL');
  }
}

/** Streams that no one reads. Others are still served. */
export async function followers(stage: Stage, tries: Tries, kind: string, many: number): Promise<void> {
  const open: http.ClientRequest[] = [];
  const token = stage.tokens["other org's user"]!;
  const follow = (port: number, path: string, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve) => {
      const request = http.get({ host: '127.0.0.1', port, path, agent: false, headers });
      open.push(request);
      request.on('response', ({ statusCode = 0 }) => resolve(statusCode));
      request.on('error', () => resolve(0));
    });
  const places = [
    [stage.fleetPort, '/requests/events', { authorization: `Bearer ${token}` }],
    [stage.gatewayPort, '/v1/events', { 'x-rouse': '1' }],
  ] as const;
  for (const [port, path, headers] of places)
    await inParallel(many, 8, async () => {
      const status = await follow(port, path, headers);
      tries.add(kind, status >= 500 && status !== 503 && `${path}: ${status}`);
    });
  const at = { port: stage.fleetPort, method: 'GET', path: '/registry/agents' };
  const served = await ask(asProgram(at, stage.tokens['user']));
  if (served.status !== 200) tries.found(kind, `a reader of another org beside them: ${served.status}`);
  for (const request of open) request.destroy();
}

/** Requests up to the limit and beyond, while a dialog blocks the agent. */
export async function tooMuchWork(stage: Stage, tries: Tries, kind: string): Promise<void> {
  const { control, client } = stage.agent;
  await control.send('open-dialog');
  const reminder = {
    mode: 'one_off',
    title: 'flood',
    prompt: 'flood',
    ranking: 1,
    start_after_seconds: 86_400,
  };
  const floods = [
    ['/v1/requests', { kind: 'submit_prompt', payload: { prompt: 'flood' } }, 'request_id'],
    ['/v1/reminders', { reminders: [reminder] }, 'reminder_id'],
  ] as const;
  for (const [path, body, id] of floods) {
    const taken: string[] = [];
    for (let n = 0; n < QUEUE_ROWS + 10; n++) {
      const answer = await ask(asProgram({ port: stage.gatewayPort, method: 'POST', path, body }));
      const refused = [409, 422, 429, 503, 507].includes(answer.status);
      tries.add(kind, answer.status !== 200 && !refused && `${path}: ${answer.status}`);
      if (answer.status === 200) taken.push(new RegExp(`"${id}":"([^"]+)"`).exec(answer.text)![1]!);
    }
    if (taken.length > QUEUE_ROWS) tries.found(kind, `${path} took ${taken.length} of ${QUEUE_ROWS}`);
    if (taken.length === 0) tries.found(kind, `${path} took nothing`);
    for (const each of taken) {
      if (id === 'request_id') await client.request('POST', `${path}/${each}/cancel`);
      else await client.request('DELETE', `${path}/${each}`);
    }
  }
  await control.send('close-dialog');
}
