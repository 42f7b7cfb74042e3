import type { TicketsClient } from '../client/index.ts';
import type { ReminderDefinitionInput, ReminderSet } from '../wire/index.ts';

/** The reminders of the agent's gateway. */
export interface RemindersPort {
  list(): Promise<ReminderSet>;
  create(reminder: ReminderDefinitionInput): Promise<unknown>;
  remove(reminderId: string): Promise<unknown>;
}

/** Where the tools lead. A port that is not there takes its tools with it. */
export interface McpPorts {
  /** The inbox of whoever holds the token, or of the workspace named. Asked anew for each call, since tokens change. */
  tickets?: (workspaceId: string | undefined) => TicketsClient | Promise<TicketsClient>;
  /** One operation on the agent's mailbox. */
  mail?: (operation: string, body: object) => Promise<unknown>;
  reminders?: () => Promise<RemindersPort>;
}
