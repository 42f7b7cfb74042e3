import type { Context, Hono } from 'hono';
import { forbidden } from '../../base/index.ts';
import { parseBody, sweeperRunQuery } from '../../wire/index.ts';
import { requireAdmin } from '../identity/index.ts';
import type { Sweepers } from '../sweep/index.ts';
import { requireCaller } from './authenticate.ts';

/** A sweep goes over all tenants, so only an administrator of the whole server may see or start one. */
export function sweeperRoutes(app: Hono, sweepers: Sweepers): void {
  app.get('/admin/sweepers', async (context) => {
    requireServerAdmin(context);
    return context.json({ sweepers: await sweepers.views() });
  });
  app.post('/admin/sweepers/:name/run', async (context) => {
    requireServerAdmin(context);
    const { dry_run } = parseBody(sweeperRunQuery, context.req.query());
    return context.json(await sweepers.run(context.req.param('name'), { dryRun: dry_run === '1' }));
  });
}

function requireServerAdmin(context: Context): void {
  if (requireAdmin(requireCaller(context)).orgId === null) return;
  throw forbidden('this needs the token of an administrator of the whole server, not of one org');
}
