import type { Hono } from 'hono';
import { readBody } from '../../http/index.ts';
import { createRemindersBody, putReminderBody } from '../../wire/index.ts';
import type { Reminders } from '../reminders/index.ts';

/** The live reminders of this gateway. */
export function reminderRoutes(app: Hono, reminders: Reminders): void {
  app.get('/v1/reminders', (context) => context.json(reminders.list()));
  app.post('/v1/reminders', async (context) => {
    const body = await readBody(context, createRemindersBody);
    return context.json(reminders.create(body.reminders));
  });
  app.get('/v1/reminders/:id', (context) => context.json(reminders.get(context.req.param('id'))));
  app.put('/v1/reminders/:id', async (context) => {
    const { schema_version: _, ...definition } = await readBody(context, putReminderBody);
    return context.json(reminders.replace(context.req.param('id'), definition));
  });
  app.delete('/v1/reminders/:id', (context) => context.json(reminders.remove(context.req.param('id'))));
}
