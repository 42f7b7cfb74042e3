import type { GatewayClient, TicketsClient } from '../client/index.ts';

/** The part of a gateway that the tools use. */
export type GatewayPort = Pick<GatewayClient, 'call' | 'reminders'>;

/** Where the tools lead. A port that is not there takes its tools with it. */
export interface McpPorts {
  /** The inbox of whoever holds the token, or of the workspace named. Asked anew for each call, since tokens change. */
  tickets?: (workspaceId: string | undefined) => TicketsClient | Promise<TicketsClient>;
  /** One operation on the agent's mailbox. */
  mail?: (operation: string, body: object) => Promise<unknown>;
  gateway?: () => Promise<GatewayPort>;
}
