import { expect, it } from 'vitest';
import type { Sql } from '../../db/index.ts';
import type { Identity } from '../identity/index.ts';
import { refuseTakeOver, type TakeOver } from './take-over.ts';

const person = (userId: string, kind: 'user' | 'admin' = 'user'): Identity => ({
  kind,
  tokenId: 't',
  orgId: 'org',
  userId,
  grants: [],
});
const agent = (workspaceId: string): Identity => ({ kind: 'agent', tokenId: 't', orgId: 'org', workspaceId });

const HOLDER = {
  workspace_id: 'w-1',
  name: 'gpu',
  owner: 'ana',
  session_id: 's-old',
  host: 'atlas',
  host_id: null,
  registered_at: new Date('2026-01-01T00:00:00Z'),
  last_heartbeat_at: new Date('2026-01-01T00:01:00Z'),
  age: 5,
  beating: true,
};

/** The registry with other agents of the same name, and the agent's own row. */
function registry({ namesakes = [] as object[], holder = undefined as object | undefined }): Sql {
  return {
    query: async (text: string) => {
      const rows = text.includes('agent_id <> $3') ? namesakes : holder ? [holder] : [];
      return { rows, rowCount: rows.length };
    },
  } as unknown as Sql;
}

const register = (sql: Sql, over: Partial<TakeOver> = {}): Promise<void> =>
  refuseTakeOver(sql, {
    orgId: 'org',
    agentId: 'a-1',
    name: 'gpu',
    sessionId: 's-new',
    by: person('ana'),
    ...over,
  });

it('a new agent with a free name may be registered', async () => {
  await register(registry({}));
});

it.each([
  ['its owner', person('ana')],
  ['an administrator', person('eve', 'admin')],
  ['the agent itself', agent('w-1')],
])('an agent without heartbeats may be registered again by %s', async (_, by) => {
  await register(registry({ holder: { ...HOLDER, beating: false } }), { by });
});

it.each([
  ['another person', person('ben')],
  ['another agent', agent('w-2')],
])('an agent may not be registered again by %s, even without heartbeats', async (_, by) => {
  await expect(register(registry({ holder: { ...HOLDER, beating: false } }), { by })).rejects.toMatchObject({
    code: 'forbidden',
    message: 'agent gpu belongs to ana',
  });
});

it('a session with heartbeats keeps its place, and the error names session, host and age', async () => {
  await expect(register(registry({ holder: HOLDER }))).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('already running on host atlas: session s-old'),
    facts: { cause: 'agent_online_elsewhere', workspace_id: 'w-1' },
  });
});

it('a session with heartbeats is replaced on request, and by itself', async () => {
  await register(registry({ holder: HOLDER }), { takeOver: true });
  await register(registry({ holder: HOLDER }), { sessionId: 's-old' });
});

it('a name under another agent id belongs to its owner', async () => {
  const namesakes = [{ workspace_id: 'w-9', name: 'gpu', owner: 'ben' }];
  await expect(register(registry({ namesakes }))).rejects.toMatchObject({
    facts: { cause: 'not_its_owner' },
  });
  await register(registry({ namesakes }), { by: person('ben') });
});
