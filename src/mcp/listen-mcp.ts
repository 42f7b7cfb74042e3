import { createHash, timingSafeEqual } from 'node:crypto';
import { Ending, type Log, unauthorized } from '../base/index.ts';
import { createApp, type Listening, listen } from '../http/index.ts';
import { mcpOverHttp } from './over-http.ts';
import type { McpPorts } from './ports.ts';

export interface ListenMcp {
  ports: McpPorts;
  port: number;
  /** What a client must send; read for each request, since tokens change. Undefined: nothing here needs one. */
  tokenOf: () => string | undefined;
  log: Log;
}

const LOOPBACK = '127.0.0.1';

/** One agent's tools on loopback. A client must hold the agent's own token: other programs run on this host, too. */
export async function listenMcp({ ports, port, tokenOf, log }: ListenMcp): Promise<Listening> {
  const app = createApp({ host: LOOPBACK, log });
  const mcp = mcpOverHttp(() => ports);
  app.all('/mcp', (context) => {
    const token = tokenOf();
    if (token !== undefined && !sameToken(context.req.header('authorization'), token)) {
      throw unauthorized("the agent's token is required", {
        hint: 'send "Authorization: Bearer <token>" with the token this was started with',
      });
    }
    return mcp.fetch(context.req.raw);
  });
  const listening = await listen({ app }, LOOPBACK, port);
  const ending = new Ending();
  ending.add(() => listening.close());
  ending.add(() => mcp.close());
  return { ...listening, close: () => ending.run() };
}

function sameToken(header: string | undefined, token: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(header?.replace(/^Bearer /i, '') ?? ''), hash(token));
}
