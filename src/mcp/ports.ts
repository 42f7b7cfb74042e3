import type { TicketsClient } from '../client/index.ts';
import type { ReminderDefinitionInput, ReminderSet } from '../wire/index.ts';

/** The reminders of the agent's gateway. */
export interface RemindersPort {
  list(): Promise<ReminderSet>;
  create(reminder: ReminderDefinitionInput): Promise<unknown>;
  remove(reminderId: string): Promise<unknown>;
}

/** What the tools act on. Without a port its tools are not listed. */
export interface McpPorts {
  /** The inbox of the token's holder, or of the named workspace. Called for each tool call, since tokens change. */
  tickets?: (workspaceId: string | undefined) => TicketsClient | Promise<TicketsClient>;
  /** One operation on the agent's mailbox. */
  mail?: (operation: string, body: object) => Promise<unknown>;
  reminders?: () => Promise<RemindersPort>;
}
