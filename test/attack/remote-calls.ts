import { vi } from 'vitest';
import { makeCall } from '../../src/fleet/calls/call-store.ts';
import { REMOTE_ROUTES } from '../../src/wire/index.ts';
import { askPatiently, asProgram } from './call.ts';
import type { Some } from './callers.ts';
import { MARK, type Target, targets } from './routes.ts';
import type { Stage } from './stage.ts';
import type { Tries } from './tries.ts';

interface Handed {
  method: string;
  path: string;
  body?: unknown;
}

const isRemote = (id: string): boolean => (REMOTE_ROUTES as readonly string[]).includes(id);

/** Paths that look like an allowed one but lead to another once they are parsed as a URL. */
const DISGUISED: readonly Handed[] = [
  { method: 'PUT', path: '/v1/reminders/..\\mail-notifier', body: { interval_seconds: 60 } },
  { method: 'DELETE', path: '/v1/reminders/..\\mail-notifier' },
  { method: 'DELETE', path: '/v1/reminders/x\\..\\..\\mail-notifier' },
  { method: 'DELETE', path: '/v1/reminders/.\t.\\mail-notifier' },
  { method: 'GET', path: '/v1/requests/..\\events' },
  { method: 'GET', path: '/v1/requests/%2e%2e\\events' },
  { method: 'POST', path: '/v1/requests/../control/send-keys', body: { sequence: MARK } },
  { method: 'POST', path: '/v1/requests/x#/cancel', body: {} },
  { method: 'POST', path: '//v1/control/send-keys', body: { sequence: MARK } },
  { method: 'POST', path: '@127.0.0.1/v1/control/send-keys', body: { sequence: MARK } },
];

function handedCalls(gateway: readonly Target[]): Handed[] {
  const keys = {
    mode: 'one_off',
    title: MARK,
    ranking: 0,
    start_after_seconds: 1,
    send_keys: { sequence: MARK },
  };
  const bodyOf = (id: string) => gateway.find((each) => each.id === id)!.body as object;
  const attachments = [{ path: '/etc/passwd' }];
  return [
    ...gateway.filter(({ id }) => !isRemote(id)).map(({ method, path, body }) => ({ method, path, body })),
    ...DISGUISED,
    { method: 'POST', path: '/v1/reminders', body: { reminders: [keys] } },
    { method: 'PUT', path: '/v1/reminders/x', body: keys },
    ...['send', 'post', 'reply'].map((word) => ({
      method: 'POST',
      path: `/v1/mail/${word}`,
      body: { ...bodyOf(`mail.${word}`), attachments },
    })),
  ];
}

/** Calls that a fleet server may not make, handed to the gateway as if the server had allowed them. */
export async function handedToGateway(stage: Stage, tries: Tries, kind: string): Promise<void> {
  const { sql } = stage;
  const { rows } = await sql.query<{ id: string; org_id: string }>(
    "SELECT id, org_id FROM workspaces WHERE name = 'ana'",
  );
  const { id: workspaceId, org_id: orgId } = rows[0]!;
  const gateway = targets(stage.ports, stage.to).filter(({ server }) => server === 'gateway');
  const ids = new Map<string, Handed>();
  for (const { method, path, body } of handedCalls(gateway)) {
    const call = { orgId, workspaceId, caller: 'user ben', method, path, body, seconds: 120 };
    ids.set(await makeCall(sql, call), { method, path });
  }
  const answered = async (): Promise<{ id: string; status: number | null }[]> =>
    (
      await sql.query<{ id: string; status: number | null }>(
        'SELECT id, status FROM gateway_calls WHERE id = ANY($1::uuid[])',
        [[...ids.keys()]],
      )
    ).rows;
  await vi
    .waitUntil(async () => (await answered()).every(({ status }) => status !== null), { timeout: 120_000 })
    .catch(() => tries.found(kind, 'not every call was answered'));
  for (const { id, status } of await answered()) {
    const { method, path } = ids.get(id)!;
    tries.add(kind, status !== 403 && `${method} ${path}: ${status}`);
  }
}

const BEHIND = '/houmao/agents/bea/gateway';

/** Rows of a gateway on another host, called at the fleet server without the right. */
export async function askedOfServer(stage: Stage, tries: Tries, kind: string, some?: Some): Promise<void> {
  const all = targets(stage.ports, stage.to).filter(
    ({ id, server }) => server === 'fleet' && id.startsWith('agents.gateway.'),
  );
  const carried = some ? Array.from({ length: some.max }, () => some.random.pick(all)) : all;
  const refusals = [403, 404];
  for (const target of carried) {
    const path = target.path.replace('/agents/ana/', '/agents/bea/');
    const callers = ['other agent', "other org's user", "other org's agent", "other org's admin"];
    if (!isRemote(target.id.slice('agents.gateway.'.length))) callers.push('agent', 'user', 'admin');
    for (const caller of callers) {
      const { status } = await askPatiently(asProgram({ ...target, path }, stage.tokens[caller]));
      tries.add(kind, !refusals.includes(status) && `${target.method} ${path} by ${caller}: ${status}`);
    }
  }
  for (const { method, path, body } of DISGUISED.filter(({ path }) => /^\/v1\/[^\t]*$/.test(path))) {
    const call = { port: stage.fleetPort, method, path: path.replace('/v1', BEHIND), body };
    const { status } = await askPatiently(asProgram(call, stage.tokens['user']));
    tries.add(kind, ![400, ...refusals].includes(status) && `${method} ${call.path} by user: ${status}`);
  }
}
