import { createHash } from 'node:crypto';
import { conflict, invalid, newUuid, notFound } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { DELIVERY_PRIORITY, DEPTH_COUNTED, type Enqueued, enqueue, messageBody } from '../delivery/index.ts';
import { type Identity, maySeeOrg, partyOf } from '../identity/index.ts';
import { findWorkspace, isWorkspaceId, type Workspace } from '../registry/index.ts';
import { MAX_TEXT_BYTES, neutralise, promptFor } from './prompt-text.ts';

export interface Sending {
  text: string;
  /** Chosen by the sender. The same id with the same text is the same message. */
  messageId?: string | undefined;
  /** Groups the messages of one conversation. Default: a new one. */
  contextId?: string | undefined;
  priority?: number | undefined;
  expiresInSeconds?: number | undefined;
}

/** An agent takes minutes for a message. Behind this many, the sender is better off with an error. */
const MAX_QUEUED = DEPTH_COUNTED;

/**
 * Returns the agent that the caller writes to. Agents and people of one tenant may write to each other. An agent of
 * another tenant, or one that was removed, does not exist for them.
 */
export async function requireAddressee(sql: Sql, caller: Identity, workspaceId: string): Promise<Workspace> {
  const workspace = await findWorkspace(sql, workspaceId);
  if (!workspace || workspace.status === 'removed' || !maySeeOrg(caller, workspace.org_id)) {
    throw notFound(`there is no agent ${workspaceId.slice(0, 60)}`);
  }
  return workspace;
}

/** Where a message goes. Whether the agent exists is checked when the message is stored. */
export type Addressee = Pick<Workspace, 'id' | 'org_id'>;

/** The same without a query if the org is known: the statement that stores the message checks the agent. */
export async function addresseeOf(sql: Sql, caller: Identity, workspaceId: string): Promise<Addressee> {
  if (caller.orgId === null || !isWorkspaceId(workspaceId)) return requireAddressee(sql, caller, workspaceId);
  return { id: workspaceId, org_id: caller.orgId };
}

/** Queues an authenticated sender's text as a message for the agent. It is stored when this resolves. */
export async function sendToAgent(
  sql: Sql,
  { caller, target }: { caller: Identity; target: Addressee },
  sending: Sending,
): Promise<Enqueued & { contextId: string }> {
  refuseBadText(sending.text);
  const id = newUuid();
  const contextId = sending.contextId ?? newUuid();
  const digest = createHash('sha256').update(sending.text).digest('base64url');
  const prompt = promptFor({ ...(await senderOf(sql, caller)), taskId: id }, sending.text);
  const party = partyOf(caller);
  const enqueued = await enqueue(sql, {
    id,
    orgId: target.org_id,
    workspaceId: target.id,
    callerId: party.type === 'agent' ? party.id : null,
    callerUser: party.type === 'user' ? party.id : null,
    priority: sending.priority ?? DELIVERY_PRIORITY.task,
    method: 'message/send',
    body: messageBody({
      messageId: sending.messageId ?? id,
      text: prompt,
      metadata: { source: 'a2a', digest },
      task: { id, contextId },
    }),
    // The sender is part of the key: no one can occupy the keys of others, or ours.
    idempotencyKey: sending.messageId ? `a2a:${party.type}:${party.id}:${sending.messageId}` : null,
    once: sending.messageId !== undefined,
    expiresAt: await expiryOf(sql, sending),
    contextId,
    maxDepth: MAX_QUEUED,
    tokenId: caller.tokenId,
  });
  return {
    ...enqueued,
    contextId: enqueued.created ? contextId : await sameMessage(sql, enqueued.id, digest),
  };
}

/** Uses the database's clock, as does everything that compares it. */
async function expiryOf(sql: Sql, { expiresInSeconds }: Sending): Promise<Date | null> {
  if (expiresInSeconds === undefined) return null;
  const { rows } = await sql.query<{ at: Date }>('SELECT now() + make_interval(secs => $1::float8) AS at', [
    expiresInSeconds,
  ]);
  return rows[0]!.at;
}

function refuseBadText(text: string): void {
  if (neutralise(text).trim() === '') throw invalid('the message has no text');
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_TEXT_BYTES) {
    throw invalid(`the text has ${bytes} bytes; at most ${MAX_TEXT_BYTES} are allowed`, {
      hint: 'put long content into a file or mail and send where it is',
    });
  }
}

async function senderOf(sql: Sql, caller: Identity): Promise<{ senderKind: string; senderName: string }> {
  if (caller.kind === 'agent') {
    const workspace = await findWorkspace(sql, caller.workspaceId);
    return { senderKind: 'agent', senderName: workspace?.name ?? caller.workspaceId };
  }
  return { senderKind: caller.kind === 'admin' ? 'administrator' : 'user', senderName: caller.userId };
}

/** Returns the conversation of the message that holds this key. Throws unless it is the same message. */
async function sameMessage(sql: Sql, id: string, digest: string): Promise<string> {
  const { rows } = await sql.query<{ context_id: string; digest: string | null }>(
    `SELECT context_id, body #>> '{params,message,metadata,digest}' AS digest FROM a2a_queue WHERE id = $1::uuid`,
    [id],
  );
  if (rows[0]?.digest === digest) return rows[0].context_id;
  throw conflict('this messageId was used for another text', {
    hint: 'use a new id for every message',
    facts: { queue_id: id },
  });
}
