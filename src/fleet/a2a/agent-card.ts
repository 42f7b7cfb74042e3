import { A2A_PROTOCOL_VERSION, AgentCard } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { type A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { A2A_ROUTES, fillPath } from '../../wire/index.ts';
import type { Workspace } from '../registry/index.ts';
import { MAX_TEXT_BYTES } from './prompt-text.ts';

export const LEGACY_VERSION = '0.3';

/** How the agent describes itself to A2A clients. `origin` is how the client reached us. */
export function agentCard({ id, name, tool }: Workspace, origin: string): AgentCard {
  const url = origin + fillPath(A2A_ROUTES['a2a.rpc'].path, () => id);
  const endpoint = (protocolVersion: string): AgentCard['supportedInterfaces'][number] => ({
    url,
    protocolBinding: 'JSONRPC',
    tenant: '',
    protocolVersion,
  });
  return {
    name,
    description: `A coding agent${tool ? ` (${tool})` : ''} in a terminal. What you send waits in its queue until it may be disturbed, then becomes its prompt.`,
    version: '1',
    supportedInterfaces: [endpoint(A2A_PROTOCOL_VERSION), endpoint(LEGACY_VERSION)],
    provider: undefined,
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    securitySchemes: {
      bearer: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: { description: 'A token of this fleet', scheme: 'bearer', bearerFormat: '' },
        },
      },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [
      {
        id: 'prompt',
        name: 'Take a prompt',
        description: `Text of up to ${MAX_TEXT_BYTES} bytes is sent to the agent as a prompt. The task is completed when the agent's turn on it ends; the answer is an artifact if the tool reports it.`,
        tags: ['coding', 'prompt'],
        examples: [],
        inputModes: ['text/plain'],
        outputModes: ['text/plain'],
        securityRequirements: [],
      },
    ],
    signatures: [],
  };
}

type Fields = Record<string, unknown>;

/**
 * Returns the card as JSON, in the shape of the requested version. Clients of 0.3 do not send a version; newer ones do.
 */
export async function cardAsJson(card: AgentCard, version: string | undefined): Promise<Fields> {
  const json = AgentCard.toJSON(card) as Fields;
  if (version !== undefined && version !== LEGACY_VERSION) return json;
  // The SDK translates cards in its JSON-RPC handler only.
  const translator = new LegacyJsonRpcTransportHandler({
    getAuthenticatedExtendedAgentCard: async () => card,
  } as unknown as A2ARequestHandler);
  const answer = (await translator.handle(
    { jsonrpc: '2.0', id: 1, method: 'agent/getAuthenticatedExtendedCard' },
    new ServerCallContext(),
  )) as { result: object };
  return { ...answer.result, supportedInterfaces: json['supportedInterfaces'] };
}
