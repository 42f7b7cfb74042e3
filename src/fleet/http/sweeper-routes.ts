import type { Hono } from 'hono';
import { parseBody, sweeperRunQuery } from '../../wire/index.ts';
import { requireServerAdmin } from '../identity/index.ts';
import type { Sweepers } from '../sweep/index.ts';
import { requireCaller } from './authenticate.ts';

/** A sweep goes over all tenants, so only an administrator of the whole server may see or start one. */
export function sweeperRoutes(app: Hono, sweepers: Sweepers): void {
  app.get('/admin/sweepers', async (context) => {
    requireServerAdmin(requireCaller(context));
    return context.json({ sweepers: await sweepers.views() });
  });
  app.post('/admin/sweepers/:name/run', async (context) => {
    requireServerAdmin(requireCaller(context));
    const { dry_run } = parseBody(sweeperRunQuery, context.req.query());
    return context.json(await sweepers.run(context.req.param('name'), { dryRun: dry_run === '1' }));
  });
}
