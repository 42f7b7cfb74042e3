import type * as http from 'node:http';
import type * as https from 'node:https';
import { errnoOf, invalid, type RouseError, unavailable } from '../base/index.ts';
import { CALLER_HEADER, type Caller } from '../wire/capabilities.ts';
import { failureOf } from './failure.ts';

export interface Target {
  host: string;
  port: number;
  /** Bearer token, for a gateway bound wider than loopback. */
  token?: string | undefined;
  /** On whose behalf it is asked, when that is not the owner of the account. */
  caller?: Caller | undefined;
  /** From the first byte to the last, in milliseconds. */
  timeoutMs: number;
  /** How messages call the server. Default: the gateway. */
  server?: ServerKind | undefined;
  /** Whether the server uses TLS. */
  secure?: boolean | undefined;
  /** Certificates of the trusted authorities, in PEM form. Default: those of Node. */
  ca?: string | undefined;
}

/** How messages call a server, and what they advise. */
export interface ServerKind {
  name: string;
  /** Advice when nothing listens. */
  absent: string;
  /** Advice when another program responds. */
  stranger: string;
}

const GATEWAY: ServerKind = {
  name: 'gateway',
  absent: 'Attach one: rouse agents gateway attach.',
  stranger: 'Another program may have taken the port; "rouse agents gateway status" shows.',
};

export interface Exchange {
  method: string;
  path: string;
  body?: unknown;
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** A server that has not accepted the connection by then is away. */
const CONNECT_MS = 5000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * One request, one JSON response, over a connection of its own. A refusal is thrown as the error the server meant;
 * silence, a closed port or a response that is not JSON is `unavailable`.
 */
export function exchange(target: Target, request: Exchange): Promise<unknown> {
  const payload = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
  const { request: send, Agent } = requester(target);
  return new Promise((resolve, reject) => {
    const timeoutMs = request.timeoutMs ?? target.timeoutMs;
    const outgoing = send({
      host: target.host,
      port: target.port,
      method: request.method,
      path: request.path,
      // An agent of our own uses no proxy; Node's shared one may use that of the environment.
      agent: new Agent(target.ca === undefined ? {} : { ca: target.ca }),
      headers: headersOf(target, payload),
      signal: request.signal,
    });
    const connectMs = Math.min(timeoutMs, CONNECT_MS);
    const timer = setTimeout(() => outgoing.destroy(new TimedOut()), timeoutMs);
    const connectTimer = setTimeout(() => outgoing.destroy(new TimedOut()), connectMs);
    let sent = false;
    const fail = (error: unknown): void => {
      clearTimeout(timer);
      clearTimeout(connectTimer);
      reject(describeFailure(error, { target, request, sent, timeoutMs: sent ? timeoutMs : connectMs }));
    };
    outgoing.on('socket', (socket) => {
      socket.once(target.secure ? 'secureConnect' : 'connect', () => {
        clearTimeout(connectTimer);
        sent = true;
      });
    });
    outgoing.on('error', fail);
    outgoing.on('response', (response) => {
      collect(response).then((text) => {
        clearTimeout(timer);
        const status = response.statusCode ?? 0;
        const answer = parseJson(text);
        if (status >= 400) reject(failureOf(status, answer));
        else if ((status === 200 || status === 201 || status === 202) && answer !== undefined)
          resolve(answer);
        else reject(stranger(target, `status ${status} and ${answer === undefined ? 'no JSON' : 'JSON'}`));
      }, fail);
    });
    outgoing.end(payload);
  });
}

/**
 * Loads node:http with the first request, not with `import`: that reads every export of node:http, one of which loads
 * undici. It would double the start-up time of a command.
 */
export function requester({ secure }: Target): Pick<typeof https, 'request' | 'Agent'> {
  return process.getBuiltinModule(secure ? 'node:https' : 'node:http') as typeof https;
}

class TimedOut extends Error {}
class TooMuch extends Error {}

function headersOf({ token, caller }: Target, payload: Buffer | undefined): http.OutgoingHttpHeaders {
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw invalid('the bearer token must be one line of visible ASCII characters');
  }
  return {
    accept: 'application/json',
    'x-rouse': '1',
    ...(payload && { 'content-type': 'application/json', 'content-length': payload.length }),
    ...(token && { authorization: `Bearer ${token}` }),
    ...(caller && { [CALLER_HEADER]: caller }),
  };
}

async function collect(response: http.IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES) throw new TooMuch();
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Attempt {
  target: Target;
  request: Exchange;
  /** Whether there was a connection to send it on. */
  sent: boolean;
  timeoutMs: number;
}

function describeFailure(error: unknown, { target, request, sent, timeoutMs }: Attempt): RouseError {
  const { name, absent } = target.server ?? GATEWAY;
  const where = `${target.host}:${target.port}`;
  const facts = { host: target.host, port: target.port, errno: errnoOf(error), sent };
  // Once sent, a change may have been made although no response came.
  const doubt = request.method === 'GET' || !sent ? '' : '; it is not known whether it accepted the request';
  if (request.signal?.aborted)
    return unavailable(`the call to the ${name} at ${where} was cancelled${doubt}`, { facts });
  if (error instanceof TimedOut) {
    const message = `the ${name} at ${where} did not answer within ${timeoutMs} ms${doubt}`;
    return unavailable(message, { facts: { ...facts, errno: 'ETIMEDOUT' } });
  }
  if (error instanceof TooMuch) return stranger(target, `more than ${MAX_ANSWER_BYTES} bytes`);
  if (errnoOf(error) === 'ECONNREFUSED') {
    return unavailable(`no ${name} is listening on ${where}`, {
      hint: absent,
      facts,
      cause: error,
    });
  }
  if (errnoOf(error)?.startsWith('HPE_')) return stranger(target, 'something that is not HTTP');
  if (target.secure && !sent && isCertificateError(error)) return untrusted(error, where, facts);
  const lost = `the connection to the ${name} at ${where} failed (${errnoOf(error) ?? 'unknown cause'})${doubt}`;
  return unavailable(lost, { facts, cause: error });
}

/** Error codes of OpenSSL and Node for a certificate that cannot be trusted. */
function isCertificateError(error: unknown): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(errnoOf(error) ?? '');
}

function untrusted(error: unknown, where: string, facts: Record<string, unknown>): RouseError {
  return unavailable(`the certificate of the server at ${where} cannot be trusted (${errnoOf(error)})`, {
    hint: 'address it by a name that is in its certificate; for an authority of your own set ROUSE_FLEET_CA',
    facts,
    cause: error,
  });
}

function stranger({ host, port, server = GATEWAY }: Target, what: string): RouseError {
  return unavailable(`${host}:${port} answered with ${what}: it is not a ${server.name}`, {
    hint: server.stranger,
    facts: { host, port },
  });
}
