import { type Route, route } from '../route.ts';
import { sweeperList, sweeperRun, sweeperRunQuery } from './sweepers.ts';

export const SWEEPER_ROUTES: readonly Route[] = [
  route({
    id: 'admin.sweepers.list',
    method: 'GET',
    path: '/admin/sweepers',
    tag: 'admin',
    summary: 'What sweeps, how often, and what the last pass found; for server administrators',
    response: sweeperList,
  }),
  route({
    id: 'admin.sweepers.run',
    method: 'POST',
    path: '/admin/sweepers/{name}/run',
    tag: 'admin',
    summary: 'One pass now, or a dry run; for server administrators',
    query: sweeperRunQuery,
    response: sweeperRun,
    errors: { 404: 'There is no such sweeper.' },
  }),
];
