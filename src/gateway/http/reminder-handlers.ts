import type { Handlers } from '../../http/index.ts';
import type { GatewayRoutes } from '../../wire/index.ts';
import type { Reminders } from '../reminders/index.ts';

type ReminderRoutes = Pick<
  GatewayRoutes,
  'reminders.create' | 'reminders.list' | 'reminders.get' | 'reminders.put' | 'reminders.delete'
>;

/** The live reminders of this gateway. */
export function reminderHandlers(reminders: Reminders): Handlers<ReminderRoutes> {
  return {
    'reminders.list': () => reminders.edit.list(),
    'reminders.create': async ({ body }) => reminders.edit.create((await body()).reminders),
    'reminders.get': ({ params }) => reminders.edit.get(params.reminder_id),
    'reminders.put': async ({ params, body }) => {
      const { schema_version: _, ...definition } = await body();
      return reminders.edit.replace(params.reminder_id, definition);
    },
    'reminders.delete': ({ params }) => reminders.edit.remove(params.reminder_id),
  };
}
