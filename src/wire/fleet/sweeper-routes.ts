import { SWEEPER_PLACES } from '../places.ts';
import { ourRoutes } from '../route.ts';
import { sweeperList, sweeperRun, sweeperRunQuery } from './sweepers.ts';

export const SWEEPER_ROUTES = ourRoutes(SWEEPER_PLACES, {
  'admin.sweepers.list': {
    tag: 'admin',
    summary: 'The sweepers, their intervals, and what the last pass found; for server administrators',
    access: 'server_admins',
    response: sweeperList,
  },
  'admin.sweepers.run': {
    tag: 'admin',
    summary: 'One pass now, or a dry run; for server administrators',
    access: 'server_admins',
    query: sweeperRunQuery,
    response: sweeperRun,
    errors: { 404: 'There is no such sweeper.' },
  },
});
