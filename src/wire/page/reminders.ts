import * as z from 'zod';
import { about, strict } from '../fields.ts';
import { reminder } from '../v1/reminders.ts';

/** Ranked within each agent, as they are delivered. */
export const pageReminders = strict({
  agents: z.array(
    strict({
      agent: z.string(),
      effective_reminder_id: z.string().nullable(),
      reminders: z.array(reminder),
      trouble: about('Why they cannot be read; null when they can.', z.string().nullable()),
    }),
  ),
});

export type PageReminders = z.infer<typeof pageReminders>;
