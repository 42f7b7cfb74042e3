import type { Context } from 'hono';
import { Ending, type Log, unauthorized } from '../base/index.ts';
import { accountsFor, admit, carries, createApp, type Listening, listen, serve } from '../http/index.ts';
import { MCP_ROUTES } from '../wire/index.ts';
import { mcpOverHttp } from './over-http.ts';
import type { McpPorts } from './ports.ts';

export interface ListenMcp {
  ports: McpPorts;
  port: number;
  /** The token that a client must send; read for each request, since tokens change. */
  tokenOf: () => string;
  env: Readonly<Record<string, string | undefined>>;
  log: Log;
}

const LOOPBACK = '127.0.0.1';

/** One agent's tools on loopback. A client needs the agent's own token, because other agents run on this host, too. */
export async function listenMcp({
  ports,
  port,
  tokenOf,
  env,
  log,
}: ListenMcp): Promise<Listening & { url: string }> {
  const accounts = accountsFor(env);
  const tokenHint = 'send "Authorization: Bearer <token>" with the token this was started with';
  const hasToken = (context: Context): boolean => carries(context, tokenOf());
  const app = createApp({ host: LOOPBACK, log });
  app.use(admit({ host: LOOPBACK, accounts, hasToken, tokenHint }));
  const mcp = mcpOverHttp(() => ports);
  serve(app, MCP_ROUTES, {
    mcp: ({ context }) => {
      if (!hasToken(context)) throw unauthorized("the agent's token is required", { hint: tokenHint });
      return mcp.fetch(context.req.raw);
    },
  });
  const listening = await listen({ app, accounts }, LOOPBACK, port);
  const ending = new Ending();
  ending.add(() => listening.close());
  ending.add(() => mcp.close());
  const url = `http://${listening.host}:${listening.port}${MCP_ROUTES.mcp.path}`;
  return { ...listening, url, close: () => ending.run() };
}
