import { afterAll, beforeAll, beforeEach } from 'vitest';
import { isRouseError, newUuid, type RouseError } from '../../src/base/index.ts';
import type { Sql } from '../../src/db/index.ts';
import { enqueue } from '../../src/fleet/delivery/index.ts';
import type { AgentIdentity, Identity, PersonIdentity } from '../../src/fleet/identity/index.ts';
import { createToken, ensureOrg, registerWorkspace } from '../../src/fleet/index.ts';
import {
  addMessage,
  cancelTicket,
  createTicket,
  listInbox,
  type NewTicket,
  respondTicket,
  type TicketQuery,
} from '../../src/fleet/tickets/index.ts';
import type { TestDatabase } from '../support/fleet.ts';

export interface Notice {
  key: string;
  text: string;
  status: string;
  priority: number;
  method: string;
}

/** A tenant with the agents ana and ben and the person carl, and their actions on tickets. */
export class TicketTenant {
  sql!: Sql;
  orgId = '';
  ana!: AgentIdentity;
  ben!: AgentIdentity;
  carl!: PersonIdentity;

  /** Each test has its own tenant, so that it does not see what another left. */
  static perTest(open: () => Promise<TestDatabase>): TicketTenant {
    const tenant = new TicketTenant();
    let database: TestDatabase;
    beforeAll(async () => {
      database = await open();
      tenant.sql = database.sql;
    });
    afterAll(() => database?.close());
    beforeEach(() => tenant.#begin());
    return tenant;
  }

  async #begin(): Promise<void> {
    this.orgId = (await ensureOrg(this.sql, `t${newUuid()}`)).id;
    this.ana = await this.agent('ana');
    this.ben = await this.agent('ben');
    this.carl = this.person('carl');
    await createToken(this.sql, { kind: 'user', orgId: this.orgId, subject: 'carl' });
  }

  async agent(name: string, orgId = this.orgId): Promise<AgentIdentity> {
    const wanted = { orgId, agentId: `id-of-${name}`, name, sessionId: `s-${name}` };
    const { workspaceId } = await registerWorkspace(this.sql, wanted);
    return { kind: 'agent', tokenId: newUuid(), orgId, workspaceId };
  }

  person(userId: string, kind: PersonIdentity['kind'] = 'user'): PersonIdentity {
    return { kind, tokenId: newUuid(), orgId: this.orgId, userId, grants: [] };
  }

  /** A task for ben. */
  wanted(more: Partial<NewTicket> = {}): NewTicket {
    return {
      orgId: this.orgId,
      kind: 'task',
      recipient_type: 'agent',
      recipient_id: 'ben',
      title: 'look',
      detail: null,
      priority: null,
      ...more,
    };
  }

  create(caller: Identity, more: Partial<NewTicket> = {}) {
    return createTicket(this.sql, enqueue, { caller, wanted: this.wanted(more) });
  }

  async ask(caller: Identity, more: Partial<NewTicket> = {}): Promise<string> {
    return (await this.create(caller, more)).row.id;
  }

  respond(
    caller: Identity,
    id: string,
    action: 'done' | 'approved' | 'rejected',
    note: string | null = null,
  ) {
    return respondTicket(this.sql, enqueue, { caller, id, action, note });
  }

  say(caller: Identity, id: string, body = 'hm?') {
    return addMessage(this.sql, enqueue, { caller, id, body });
  }

  cancel(caller: Identity, id: string) {
    return cancelTicket(this.sql, enqueue, { caller, id });
  }

  inboxOf({ workspaceId: id }: AgentIdentity, more: TicketQuery = {}) {
    return listInbox(this.sql, { orgId: this.orgId, party: { type: 'agent', id } }, more);
  }

  async noticesTo({ workspaceId }: AgentIdentity): Promise<Notice[]> {
    const { rows } = await this.sql.query<Notice>(
      `SELECT idempotency_key AS key, body->'params'->'message'->'parts'->0->>'text' AS text, status, priority, method
         FROM a2a_queue WHERE workspace_id = $1 ORDER BY enqueued_at, id`,
      [workspaceId],
    );
    return rows;
  }
}

export async function failure(call: Promise<unknown>): Promise<RouseError> {
  const error = await call.then(
    () => new Error('it succeeded'),
    (caught: unknown) => caught,
  );
  if (!isRouseError(error)) throw error;
  return error;
}
