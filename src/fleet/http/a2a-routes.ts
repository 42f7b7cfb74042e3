import { A2A_VERSION_HEADER, AGENT_CARD_PATH } from '@a2a-js/sdk';
import type { Context, Hono } from 'hono';
import type { Log } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { readJson } from '../../http/index.ts';
import {
  AgentRequestHandler,
  agentCard,
  answerJsonRpc,
  cardAsJson,
  requireAddressee,
  type TaskWatch,
} from '../a2a/index.ts';
import { requireCaller } from './authenticate.ts';

export interface A2aRoutes {
  sql: Sql;
  watch: TaskWatch;
  log: Log;
  /** How clients reach the server; default: as they address it. */
  publicUrl?: string | undefined;
}

/** Every agent as an A2A server of its own. */
export function a2aRoutes(app: Hono, { sql, watch, log, publicUrl }: A2aRoutes): void {
  const meet = async (context: Context) => {
    const caller = requireCaller(context);
    const target = await requireAddressee(sql, caller, context.req.param('id')!);
    return { caller, target, card: agentCard(target, publicUrl ?? new URL(context.req.url).origin) };
  };

  app.get(`/a2a/:id/${AGENT_CARD_PATH}`, async (context) => {
    const { card } = await meet(context);
    context.header('vary', A2A_VERSION_HEADER);
    return context.json(await cardAsJson(card, context.req.header(A2A_VERSION_HEADER)));
  });

  app.post('/a2a/:id', async (context) => {
    const met = await meet(context);
    const handler = new AgentRequestHandler({ sql, watch, log, ...met, signal: context.req.raw.signal });
    return answerJsonRpc({
      body: await readJson(context),
      version: context.req.header(A2A_VERSION_HEADER),
      handler,
    });
  });
}
