import * as http from 'node:http';
import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { commandLine, connectHost, errnoOf, unavailable } from '../../../base/index.ts';
import type { Identity } from '../../../fleet/hosting.ts';
import { countAsHeld, readBytes } from '../../../http/index.ts';
import {
  type ManifestFacts,
  probeGateway,
  type RecordedGateway,
  readToken,
  type SessionContext,
  sessionPaths,
} from '../../../session/index.ts';
import { CALLER_HEADER, type Caller, GATEWAY_ROUTES, gatewayPath } from '../../../wire/index.ts';

/** Longer than a gateway takes for any response that is not held open. */
const MAX_ANSWER_MS = 120_000;

/**
 * The caller's headers that mean something to a gateway. Credentials and Host are between the caller and this server.
 */
const FORWARDED_HEADERS = ['accept', 'content-type', 'idempotency-key', 'last-event-id', CALLER_HEADER];
const RETURNED_HEADERS = ['content-type', 'allow', 'retry-after'];

/**
 * Forwards a request to the agent's gateway as it is: method, path, query, body. Streams the response back with its
 * status and body unchanged. Only a gateway that has proven to be the recorded one is used.
 */
export async function forward(
  context: Context,
  session: SessionContext,
  { facts, rest, caller }: { facts: ManifestFacts; rest: string; caller: Identity | undefined },
): Promise<Response> {
  const paths = sessionPaths(facts.root);
  const token = readToken(paths, session.env);
  const body = await readBytes(context);
  const life = await probeGateway(paths, token);
  if (life.life !== 'live') {
    throw unavailable(`agent ${facts.agentName} has no live gateway`, {
      hint: `attach one with "${commandLine`rouse agents gateway attach --agent-name ${facts.agentName}`}"`,
      facts: { cause: 'no_live_gateway', ...('reason' in life && { reason: life.reason }) },
    });
  }
  const { search } = new URL(context.req.url);
  const path = gatewayPath(rest);
  const waits = /^\?(.*&)?wait(=|&|$)/.test(search);
  if (waits) countAsHeld(context);
  const answer = await send(life.gateway, {
    method: context.req.method,
    path: path + search,
    headers: { ...headersOf(context, body, token), ...callerHeader(context, caller) },
    body,
    signal: context.req.raw.signal,
    held: waits || path === GATEWAY_ROUTES.events.path,
  });
  const headers = RETURNED_HEADERS.flatMap((name): [string, string][] => {
    const value = answer.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const stream = Readable.toWeb(answer) as ReadableStream<Uint8Array>;
  return new Response(stream, { status: answer.statusCode ?? 502, headers });
}

/** The gateway takes this server for the owner, so this header says for whom it asks. Undefined: the owner. */
function callerHeader(context: Context, caller: Identity | undefined): Record<string, string> {
  if (caller === undefined) return {};
  const sent = context.req.header(CALLER_HEADER);
  const kind: Caller = caller.kind === 'agent' ? 'agent' : 'user';
  return { [CALLER_HEADER]: sent === undefined ? kind : `${kind}, ${sent}` };
}

function headersOf(
  context: Context,
  body: Uint8Array,
  token: string | undefined,
): Record<string, string | number> {
  const handed = FORWARDED_HEADERS.flatMap((name): [string, string][] => {
    const value = context.req.header(name);
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(handed),
    // This server decides which part of the response the caller sees.
    'x-rouse': '1',
    ...(body.byteLength > 0 && { 'content-length': body.byteLength }),
    ...(token && { authorization: `Bearer ${token}` }),
  };
}

interface ForwardedRequest {
  method: string;
  path: string;
  headers: Record<string, string | number>;
  body: Uint8Array;
  /** Aborted when the caller goes away. */
  signal: AbortSignal;
  /** The response may be held for as long as the caller likes. */
  held: boolean;
}

function send({ host, port }: RecordedGateway, sending: ForwardedRequest): Promise<http.IncomingMessage> {
  const { method, path, headers, body, signal, held } = sending;
  return new Promise((resolve, reject) => {
    const target = { host: connectHost(host), port, method, path, headers, signal };
    // An agent of our own uses no proxy and keeps no connection.
    const request = http.request({ ...target, agent: new http.Agent() });
    const silence = held ? undefined : setTimeout(() => request.destroy(), MAX_ANSWER_MS);
    request.on('response', (response) => {
      clearTimeout(silence);
      resolve(response);
    });
    request.on('error', (error) => {
      clearTimeout(silence);
      reject(lost(method, error));
    });
    request.end(body.byteLength > 0 ? body : undefined);
  });
}

/** A change may have been made although no response came. Only reading the state can show it. */
function lost(method: string, error: unknown): Error {
  const doubt = method === 'GET' ? '' : '; it is not known whether it accepted the request';
  return unavailable(`the gateway did not answer (${errnoOf(error) ?? 'no response'})${doubt}`, {
    cause: error,
    facts: { cause: 'gateway_lost' },
  });
}
