import type { Hono } from 'hono';
import type { RouteParts } from './route-parts.ts';
import { removeCurrentServer, writeCurrentServer } from './server-place.ts';

/** Who serves here, and how to end it. */
export function serverRoutes(app: Hono, { agents, access }: RouteParts): void {
  const current = writeCurrentServer(agents.config);

  app.get('/houmao/server/current-instance', (context) => {
    access.caller(context);
    return context.json(current);
  });

  app.post('/houmao/server/shutdown', (context) => {
    access.requireGrant(context, 'shutdown');
    removeCurrentServer(agents.config);
    agents.config.shutdown();
    return context.json({
      schema_version: 1,
      status: 'ok',
      action: 'shutdown',
      detail: 'the server stops; its agents run on',
    });
  });
}
