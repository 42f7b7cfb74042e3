import type { Hono } from 'hono';
import { serve } from '../../http/index.ts';
import { SWEEPER_ROUTES } from '../../wire/index.ts';
import { requireServerAdmin } from '../identity/index.ts';
import type { Sweepers } from '../sweep/index.ts';
import { requireCaller } from './authenticate.ts';

/** A sweep goes over all tenants, so only an administrator of the whole server may see or start one. */
export function sweeperRoutes(app: Hono, sweepers: Sweepers): void {
  serve(app, SWEEPER_ROUTES, {
    'admin.sweepers.list': async ({ context }) => {
      requireServerAdmin(requireCaller(context));
      return { sweepers: await sweepers.views() };
    },
    'admin.sweepers.run': ({ context, params, query }) => {
      requireServerAdmin(requireCaller(context));
      return sweepers.run(params.name, { dryRun: query().dry_run === '1' });
    },
  });
}
