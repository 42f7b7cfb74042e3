import type { Hono } from 'hono';
import { queryNumber, readBody } from '../../http/index.ts';
import { mailNotifierBody } from '../../wire/index.ts';
import type { Notifier } from '../notifier/index.ts';

/** Whether, how and why the agent is woken for mail. */
export function notifierRoutes(app: Hono, notifier: Notifier): void {
  app.get('/v1/mail-notifier', async (context) => context.json(await notifier.status()));
  app.put('/v1/mail-notifier', async (context) =>
    context.json(await notifier.enable(await readBody(context, mailNotifierBody))),
  );
  app.delete('/v1/mail-notifier', async (context) => context.json(await notifier.disable()));
  app.get('/v1/mail-notifier/decisions', (context) => {
    const limit = queryNumber(context, 'limit', { min: 1, max: 1000 }) ?? 20;
    const before = queryNumber(context, 'before', { min: 1, max: Number.MAX_SAFE_INTEGER });
    const ref = context.req.query('message_ref');
    return context.json({
      schema_version: 1,
      decisions: notifier.decisions(limit, before),
      ...(ref !== undefined && { announced_by: notifier.announcedBy(ref) ?? null }),
    });
  });
}
