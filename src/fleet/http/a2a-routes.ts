import { createHash } from 'node:crypto';
import { A2A_VERSION_HEADER } from '@a2a-js/sdk';
import type { Context, Hono } from 'hono';
import { asRouseError, type Log } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type Call, countAsHeld, readJson, seenAs, serve } from '../../http/index.ts';
import { A2A_ROUTES, type RefusalName } from '../../wire/index.ts';
import {
  AgentRequestHandler,
  agentCard,
  answerJsonRpc,
  cardAsJson,
  type GatewayOf,
  parseError,
  requireAddressee,
  type TaskWatch,
} from '../a2a/index.ts';
import { requireCaller } from './authenticate.ts';

export interface A2aRoutes {
  sql: Sql;
  watch: TaskWatch;
  log: Log;
  gatewayOf: GatewayOf;
  /** How clients reach the server. Default: as they address it. */
  publicUrl?: string | undefined;
}

/** Every agent as an A2A server of its own. */
export function a2aRoutes(app: Hono, { sql, watch, log, gatewayOf, publicUrl }: A2aRoutes): void {
  const meet = async ({ context, params }: Call<(typeof A2A_ROUTES)['a2a.card' | 'a2a.rpc']>) => {
    const caller = requireCaller(context);
    const target = await requireAddressee(sql, caller, params.workspace_id);
    return { caller, target, card: agentCard(target, publicUrl ?? ownUrl(context)) };
  };

  serve(app, A2A_ROUTES, {
    'a2a.card': async (call) => {
      const { card } = await meet(call);
      return cacheable(call.context, await cardAsJson(card, call.context.req.header(A2A_VERSION_HEADER)));
    },
    'a2a.rpc': async (call) => {
      const { req } = call.context;
      const met = await meet(call);
      // JSON-RPC has its own errors for what is not JSON or not an object, so the route does not check the body.
      const body = await readJson(call.context).catch((error: unknown) => {
        const { message, facts } = asRouseError(error);
        if (facts['error_code'] === ('json_invalid' satisfies RefusalName)) return parseError(message);
        throw error;
      });
      if (body instanceof Response) return body;
      const { signal } = req.raw;
      const onHeld = () => countAsHeld(call.context);
      const handler = new AgentRequestHandler({ sql, watch, log, gatewayOf, ...met, onHeld, signal });
      return answerJsonRpc({ body, version: req.header(A2A_VERSION_HEADER), handler });
    },
  });
}

/** Cards change rarely: a client may keep one for a minute and then ask whether it changed. */
function cacheable(context: Context, card: object): Response {
  const text = JSON.stringify(card);
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  const headers = { etag, vary: A2A_VERSION_HEADER, 'cache-control': 'private, max-age=60' };
  const known = context.req.header('if-none-match')?.split(/\s*,\s*/);
  if (known?.some((each) => each === '*' || each.replace(/^W\//, '') === etag))
    return new Response(null, { status: 304, headers });
  return new Response(text, { headers: { ...headers, 'content-type': 'application/json' } });
}

/** As the caller addresses us. */
function ownUrl(context: Context): string {
  const { scheme, host } = seenAs(context);
  return `${scheme}://${host}`;
}
