import * as z from 'zod';
import { MCP_HTTP_PLACES } from './places.ts';
import { ourRoutes } from './route.ts';

/** MCP over HTTP; its messages are the protocol's own. */
export const MCP_ROUTES = ourRoutes(MCP_HTTP_PLACES, {
  mcp: {
    tag: 'requests',
    summary: 'The requests of the token as MCP tools',
    access: 'token',
    response: z.unknown(),
    documented: false,
  },
});
