import type * as http from 'node:http';
import { errnoOf, isRouseError, unavailable } from '../base/index.ts';
import { requester, type Target } from './exchange.ts';
import { failureOf } from './failure.ts';

export interface ServerEvent {
  /** Pass it as `after` to continue from here. */
  id: string;
  event: string;
  data: unknown;
}

/**
 * The server-sent events of a path. Ends quietly when aborted. Throws `unavailable` when the server is gone, or has ended a
 * stream that has no end of its own (`ends`). To get missed events, ask again with the id of the last event received.
 */
export async function* followEvents(
  target: Target,
  { path, signal, ends = false }: { path: string; signal?: AbortSignal | undefined; ends?: boolean },
): AsyncGenerator<ServerEvent> {
  const where = `${target.server?.name ?? 'gateway'} at ${target.host}:${target.port}`;
  try {
    const response = await open(target, path, signal);
    if (response.statusCode !== 200) throw failureOf(response.statusCode ?? 0, await bodyOf(response));
    yield* parseEvents(response);
    if (!signal?.aborted && !ends) throw unavailable(`the ${where} ended the stream`);
  } catch (error) {
    if (signal?.aborted) return;
    if (isRouseError(error)) throw error;
    const cause = errnoOf(error) ?? 'it sent something that is not an event';
    throw unavailable(`the stream of the ${where} broke (${cause})`, { cause: error });
  }
}

function open(target: Target, path: string, signal: AbortSignal | undefined): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { host, port, token } = target;
    const { request, Agent } = requester(target);
    const headers = {
      accept: 'text/event-stream',
      'x-rouse': '1',
      ...(token && { authorization: `Bearer ${token}` }),
    };
    request({
      host,
      port,
      path,
      headers,
      signal,
      agent: new Agent(target.ca === undefined ? {} : { ca: target.ca }),
    })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
}

async function bodyOf(response: http.IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const part of response) text += part;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function* parseEvents(response: http.IncomingMessage): AsyncGenerator<ServerEvent> {
  let rest = '';
  response.setEncoding('utf8');
  for await (const part of response as AsyncIterable<string>) {
    const blocks = (rest + part).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event) yield event;
    }
  }
}

/** Undefined for comments, which are keep-alives. */
function parseBlock(block: string): ServerEvent | undefined {
  const fields: Record<string, string> = {};
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^(\w+):\s?(.*)$/.exec(line) ?? [];
    if (name === 'data' && fields['data'] !== undefined) fields['data'] += `\n${value}`;
    else if (name) fields[name] = value ?? '';
  }
  if (fields['data'] === undefined) return undefined;
  return { id: fields['id'] ?? '', event: fields['event'] ?? 'message', data: JSON.parse(fields['data']) };
}
