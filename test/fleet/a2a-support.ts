import { randomUUID } from 'node:crypto';
import { type AgentCard, Role, type SendMessageRequest } from '@a2a-js/sdk';
import * as own from '@a2a-js/sdk/client';
import type { Sql } from '../../src/db/index.ts';
import type { RequestOutcome } from '../../src/domain/index.ts';
import { claim, type Leased, recordOutcome } from '../../src/fleet/delivery/index.ts';
import type { TestAgent } from '../support/fleet.ts';
import { acknowledge } from './delivery-support.ts';

const withToken =
  (token: string | undefined): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };

/** The official client, speaking 1.0 or 0.3, with this token. */
export async function a2aClient(
  base: string,
  token: string | undefined,
  { version = '1.0', sdk = own }: { version?: '1.0' | '0.3'; sdk?: typeof own } = {},
): Promise<own.Client> {
  const { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } = sdk;
  const fetchImpl = withToken(token);
  const legacyCompat = { enabled: version === '0.3' };
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl, legacyCompat }),
    }),
  );
  const card = (await new DefaultAgentCardResolver({ fetchImpl }).resolve(`${base}/`)) as AgentCard;
  const supportedInterfaces = card.supportedInterfaces.filter(
    ({ protocolVersion }) => protocolVersion === version,
  );
  return factory.createFromAgentCard({ ...card, supportedInterfaces });
}

export function textMessage(
  text: string,
  {
    returnImmediately = true,
    ...more
  }: Partial<NonNullable<SendMessageRequest['message']>> & { returnImmediately?: boolean } = {},
): SendMessageRequest {
  return {
    tenant: '',
    metadata: undefined,
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately,
    },
    message: {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...more,
    },
  };
}

/** The gateway of an agent, as the server sees it: it takes messages, acknowledges them and reports how they ended. */
export class Gateway {
  #sql: Sql;
  #holder: { workspaceId: string; sessionId: string };

  constructor(sql: Sql, { workspaceId, agentId }: TestAgent) {
    this.#sql = sql;
    this.#holder = { workspaceId, sessionId: `session-of-${agentId}` };
  }

  take = (): Promise<Leased[]> => claim(this.#sql, { ...this.#holder, capacity: 10, leaseSeconds: 60 });

  async accept({ id, attempt }: Leased): Promise<void> {
    await acknowledge(this.#sql, {
      ...this.#holder,
      id,
      attempt,
      result: 'accepted',
      requestId: `gwreq-${id}`,
    });
  }

  async tell({ id }: { id: string }, outcome: RequestOutcome): Promise<void> {
    const { workspaceId } = this.#holder;
    await recordOutcome(this.#sql, { workspaceId, id, requestId: `gwreq-${id}`, outcome, at: new Date() });
  }
}

export function promptOf(leased: Leased): string {
  const { params } = leased.body as { params: { message: { parts: { text: string }[] } } };
  return params.message.parts[0]!.text;
}
