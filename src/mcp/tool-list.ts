import { inputSchema } from './listed-schema.ts';
import { MAIL_TOOLS } from './mail-tools.ts';
import type { McpPorts } from './ports.ts';
import { REMINDER_TOOLS } from './reminder-tools.ts';
import { TICKET_TOOLS } from './ticket-tools.ts';
import type { Tool } from './tool.ts';

/** The tools of each port. */
export const TOOLS_OF: Readonly<Record<keyof McpPorts, Tool[]>> = {
  tickets: TICKET_TOOLS,
  mail: MAIL_TOOLS,
  reminders: REMINDER_TOOLS,
};

export const PORTS = Object.keys(TOOLS_OF) as (keyof McpPorts)[];

/** The tools of these ports as the server describes them, for programs that list them without a server. */
export function describeTools(
  ports: Readonly<Partial<Record<keyof McpPorts, unknown>>>,
): { name: string; title: string; description: string; input: object }[] {
  return PORTS.filter((port) => ports[port]).flatMap((port) =>
    TOOLS_OF[port].map(({ name, title, description, input }) => ({
      ...{ name, title, description },
      input: inputSchema(input),
    })),
  );
}
