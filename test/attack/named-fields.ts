import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';
import { allFields } from '../../src/cli/access-page.ts';
import { readAgentToken, sessionFleet } from '../../src/client/index.ts';
import type { FieldRow } from '../../src/wire/access.ts';
import { CALLER_HEADER, CALLERS, type Capability, callersIn, mayCall } from '../../src/wire/index.ts';
import { type Answer, askPatiently, asProgram } from './call.ts';
import { visitorAs } from './page-roles.ts';
import { MARK, type Target, targets } from './routes.ts';
import type { Stage } from './stage.ts';
import type { Tries } from './tries.ts';

/** A caller that may use the route but not the field. */
interface Thief {
  name: string;
  token?: string | undefined;
  headers?: Record<string, string>;
}

type Trying = (stage: Stage, row: FieldRow, note: (problem: string | false) => void) => Promise<void>;

/** How each kind of field is tried. A new kind does not compile without its tries. */
const TRYING: Record<Exclude<FieldRow['sender'], undefined>, Trying | 'read from files, not sent'> = {
  owner_or_session: othersFiles,
  launcher: withoutGrant,
  registrar: withoutGrant,
  prompter: asFlag,
  stored_only: neverAsked,
  refused: neverAsked,
  push_service: notAPushService,
  listed: notListed,
  own_files: 'read from files, not sent',
  own_config: 'read from files, not sent',
  project: 'read from files, not sent',
};

/** Legitimate changes are tried separately. */
const BY_RIGHT: ReadonlySet<FieldRow['sender']> = new Set(['stored_only']);

/** Every field of the list, by every caller that may not use it. */
export async function namedFieldTries(
  stage: Stage,
  tries: Tries,
  { kind, byRight }: { kind: string; byRight: boolean },
): Promise<void> {
  layBait(stage);
  for (const row of allFields()) {
    const trying = TRYING[row.sender!];
    if (typeof trying === 'string' || BY_RIGHT.has(row.sender) !== byRight) continue;
    let tried = 0;
    await trying(stage, row, (problem) => {
      tried++;
      tries.add(kind, problem && `${row.place} ${row.field}: ${problem}`);
    });
    if (tried === 0) tries.found(kind, `${row.place} ${row.field}: it was not tried`);
  }
}

/** Arbitrary keys, and the pause of a person, by every way, by every caller that may not. */
export async function keysByOtherWays(stage: Stage, tries: Tries, kind: string): Promise<void> {
  const keys = {
    mode: 'one_off',
    title: MARK,
    ranking: 0,
    start_after_seconds: 1,
    send_keys: { sequence: MARK },
  };
  const bodies: Record<string, object> = {
    'control.sendKeys': { sequence: MARK },
    'reminders.create': { reminders: [keys] },
    'reminders.put': keys,
  };
  const holds = { 'pause.begin': { schema_version: 1 }, 'pause.end': undefined };
  const thieves = (need: Capability): Thief[] =>
    gatewayThieves(stage).filter(({ name }) => !mayCall(callersIn(name), need));
  for (const [id, body] of Object.entries({ ...bodies, ...holds }))
    for (const [where, who] of [
      [id, thieves(id in holds ? 'hold' : 'raw_keys')],
      [`agents.gateway.${id}`, [{ name: 'agent', token: ownToken(stage) }]],
    ] as const)
      for (const thief of who) {
        const { status } = await send(stage, targetOf(stage, where), body, thief);
        tries.add(kind, status !== 403 && `${where} by ${thief.name}: ${status}`);
      }
}

/** Files that the caller may not read, by their path and by links inside the project. */
async function othersFiles(stage: Stage, row: FieldRow, note: (problem: string | false) => void) {
  for (const file of bait(stage)) {
    const value = { path: file, copy: true };
    if (row.of === 'mcp') {
      const text = await callTool(stage, row.id, { ...toolBody(stage), attachments: [value] });
      note(!/forbidden/.test(text) && `${file}: ${text.slice(0, 200)}`);
      continue;
    }
    const target = targetOf(stage, row.id);
    const thieves = row.of === 'gateway' ? gatewayThieves(stage) : fleetThieves(stage);
    for (const thief of thieves) {
      const body = { ...(target.body as object), idempotency_key: undefined, attachments: [value] };
      const { status, text } = await send(stage, target, body, thief);
      note(status !== 403 && `${file} by ${thief.name}: ${status} ${text.slice(0, 200)}`);
    }
  }
}

/** Programs and directories of a launch, by callers that may not launch. */
async function withoutGrant(stage: Stage, row: FieldRow, note: (problem: string | false) => void) {
  const target = targetOf(stage, row.id);
  const given = row.names === 'argument' ? [bait(stage)[0]!] : bait(stage)[0]!;
  const bodies = [with_(target.body as object, row.field, given), target.body as object];
  for (const thief of [
    ...fleetThieves(stage).filter(({ name }) => name !== 'server admin'),
    ...strangers(stage),
  ])
    for (const body of bodies) {
      const { status } = await send(stage, target, body, thief);
      // A file that the owner did not hand over is refused.
      const refused = [401, 403, 404, ...(row.field === 'environment_file' ? [422] : [])];
      note(!refused.includes(status) && `${thief.name}: ${status}`);
    }
}

/** A value that the tool would read as a flag. */
async function asFlag(stage: Stage, row: FieldRow, note: (problem: string | false) => void) {
  const target = targetOf(stage, row.id);
  for (const flag of ['--dangerously-skip-permissions', '-c', '-', ' --x', 'a\n--x']) {
    const { status, text } = await send(stage, target, with_(target.body as object, row.field, flag), {
      name: 'owner',
    });
    note(status !== 422 && `${JSON.stringify(flag)}: ${status} ${text.slice(0, 200)}`);
  }
}

/** An address that must never be connected to because it is in a field. */
async function neverAsked(stage: Stage, row: FieldRow, note: (problem: string | false) => void) {
  let connections = 0;
  const listener = net.createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as net.AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const target = targetOf(stage, row.id);
  try {
    for (const body of addressed(row, target.body as object, { url, port })) {
      const query = target.method === 'GET' ? `?${row.field}=${encodeURIComponent(url)}` : '';
      const answer = await send(stage, { ...target, path: target.path + query }, body, {
        name: 'user',
        token: stage.tokens['user'],
      });
      note(answer.status >= 500 && `${answer.status}`);
      if (row.sender === 'refused')
        note(!/not (offered|supported)|"code":-?\d+/i.test(answer.text) && answer.text);
    }
    await stage.atRest();
    note(connections > 0 && `${connections} connections to ${url}`);
  } finally {
    listener.close();
  }
}

function addressed(row: FieldRow, body: object | undefined, { url, port }: { url: string; port: number }) {
  if (row.id !== 'a2a.rpc')
    return [body && with_(body, row.field, row.names === 'url' ? { url, host: '127.0.0.1', port } : url)];
  const rpc = body as { params: object };
  const config = { url, token: MARK };
  return [
    { ...rpc, params: { ...rpc.params, configuration: { pushNotificationConfig: config } } },
    {
      ...rpc,
      method: 'tasks/pushNotificationConfig/set',
      params: { taskId: MARK, pushNotificationConfig: config },
    },
  ];
}

/** Addresses that are not of a push service, by a person who may turn on Web Push. */
async function notAPushService(stage: Stage, row: FieldRow, note: (problem: string | false) => void) {
  let connections = 0;
  const listener = net.createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as net.AddressInfo;
  const target = targetOf(stage, row.id);
  const { headers } = await visitorAs(stage, 'operate');
  try {
    for (const endpoint of [
      `http://127.0.0.1:${port}/`,
      `https://127.0.0.1:${port}/`,
      `https://fcm.googleapis.com@127.0.0.1:${port}/`,
      `https://fcm.googleapis.com.example.org/`,
      'http://fcm.googleapis.com/fcm/send/x',
      'file:///etc/passwd',
    ]) {
      const body = { ...(target.body as object), [row.field]: endpoint };
      const { status, text } = await askPatiently(asProgram({ ...target, body, headers }));
      note(status !== 422 && `${endpoint}: ${status} ${text.slice(0, 200)}`);
    }
    await stage.atRest();
    note(connections > 0 && `${connections} connections`);
  } finally {
    listener.close();
  }
}

async function notListed(stage: Stage, row: FieldRow, note: (problem: string | false) => void) {
  const target = targetOf(stage, row.id);
  for (const name of [
    '..%2fpackage.json',
    '%2fetc%2fpasswd',
    '.%2e%2f.%2e%2frouse.cjs',
    'x%00.js',
    'nowhere.js',
  ]) {
    const { status } = await send(stage, { ...target, path: `/ui/assets/${name}` }, undefined, {
      name: 'owner',
    });
    note(![400, 404].includes(status) && `${name}: ${status}`);
  }
}

/** The body with a value in the field, and with the fields it requires. */
function with_(body: object, field: string, value: unknown): object {
  const [name = '', ...rest] = field.replaceAll('[]', '').split('.');
  const inner = (body as Record<string, unknown>)[name];
  const at = typeof inner === 'object' && inner !== null ? inner : {};
  const beside = name === 'chat_session' ? { mode: 'exact' } : {};
  return { ...body, [name]: rest.length === 0 ? value : with_({ ...at, ...beside }, rest.join('.'), value) };
}

const project = (stage: Stage): string => stage.agent.facts.workingDirectory;
const link = (stage: Stage, name: string): string => path.join(project(stage), `.bait-${name}`);

/** Files that must never leave: by their paths, and by links in the project. */
function bait(stage: Stage): string[] {
  const { root } = stage.agent.facts;
  return [
    path.join(root, 'fleet', 'token'),
    path.join(root, 'manifest.json'),
    '/etc/passwd',
    '/proc/self/environ',
    '/nowhere/at/all',
    `${project(stage)}/../../../../../../../../etc/passwd`,
    link(stage, 'token'),
    path.join(link(stage, 'root'), 'etc', 'passwd'),
  ];
}

function layBait(stage: Stage): void {
  const links = { token: path.join(stage.agent.facts.root, 'fleet', 'token'), root: '/' };
  for (const [name, target] of Object.entries(links))
    if (!fs.existsSync(link(stage, name))) fs.symlinkSync(target, link(stage, name));
}

const ownToken = (stage: Stage): string =>
  fs.readFileSync(sessionFleet(stage.agent.facts.root)!.tokenFile, 'utf8').trim();

/** Callers on whose behalf a program asks that is admitted as the owner. */
function gatewayThieves(_: Stage): Thief[] {
  const others = Object.keys(CALLERS).filter((name) => name !== 'owner');
  return [...others, 'agent, owner', 'anything'].map((name) => ({
    name,
    headers: { [CALLER_HEADER]: name },
  }));
}

/** Tokens that may call the agent's gateway through the server. */
function fleetThieves(stage: Stage): Thief[] {
  const people = ['user', 'admin', 'server admin'].map((name) => ({ name, token: stage.tokens[name] }));
  return [...people, { name: 'the agent itself', token: ownToken(stage) }];
}

const strangers = (stage: Stage): Thief[] =>
  ['other agent', "other org's user"].map((name) => ({ name, token: stage.tokens[name] }));

function targetOf(stage: Stage, id: string): Target {
  return targets(stage.ports, stage.to).find((each) => each.id === id)!;
}

function send(_: Stage, target: Target, body: unknown, { token, headers }: Thief): Promise<Answer> {
  const { port, method, path: at } = target;
  const sent = method === 'GET' || body === undefined ? {} : { body };
  return askPatiently(asProgram({ port, method, path: at, ...sent, ...(headers && { headers }) }, token));
}

const toolBody = (stage: Stage) => ({ body_content: MARK, ...stageMail(stage) });
const stageMail = ({ to }: Stage) => ({ to: [to.address], subject: MARK, message_ref: to.message });

/** One of the agent's own tools, over HTTP and with its own token. */
async function callTool(stage: Stage, name: string, args: Record<string, unknown>): Promise<string> {
  const { to, subject, message_ref, ...rest } = args;
  const arguments_ = name === 'mail_reply' ? { message_ref, ...rest } : { to, subject, ...rest };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: arguments_ } };
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
  const response = await fetch(`http://127.0.0.1:${stage.gatewayPort}/mcp`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      authorization: `Bearer ${readAgentToken(stage.agent.facts.root)}`,
    },
    body: JSON.stringify(body),
  });
  return response.text();
}
