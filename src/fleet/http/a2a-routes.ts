import { A2A_VERSION_HEADER } from '@a2a-js/sdk';
import type { Context, Hono } from 'hono';
import type { Log } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type Call, readJson, seenAs, serve } from '../../http/index.ts';
import { A2A_ROUTES } from '../../wire/index.ts';
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
  const meet = async ({ context, params }: Call<(typeof A2A_ROUTES)['a2a.card' | 'a2a.rpc']>) => {
    const caller = requireCaller(context);
    const target = await requireAddressee(sql, caller, params.workspace_id);
    return { caller, target, card: agentCard(target, publicUrl ?? ownUrl(context)) };
  };

  serve(app, A2A_ROUTES, {
    'a2a.card': async (call) => {
      const { card } = await meet(call);
      call.context.header('vary', A2A_VERSION_HEADER);
      return cardAsJson(card, call.context.req.header(A2A_VERSION_HEADER));
    },
    'a2a.rpc': async (call) => {
      const { req } = call.context;
      const met = await meet(call);
      const handler = new AgentRequestHandler({ sql, watch, log, ...met, signal: req.raw.signal });
      // What is not an object is answered as JSON-RPC answers it, so the row does not check it.
      const body = await readJson(call.context);
      return answerJsonRpc({ body, version: req.header(A2A_VERSION_HEADER), handler });
    },
  });
}

/** As the caller addresses us. */
function ownUrl(context: Context): string {
  const { scheme, host } = seenAs(context);
  return `${scheme}://${host}`;
}
