import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dialect, type Json, lastPrompt, type OfferedTool, readConversation } from './conversation.ts';
import { DIALECTS, json } from './dialects.ts';
import { planAnswer, type Step } from './plan-answer.ts';
import type { Refusal } from './refusals.ts';

/** One request as received. */
export interface Received {
  path: string;
  dialect: Dialect;
  /** How many tools the command line offered. None, or a schema, makes it a side request. */
  tools: number;
  side: boolean;
  prompt: string;
  sha256: string;
  /** Results of the tools called for this prompt so far; none for a new prompt. */
  results: number;
  called: string | undefined;
  /** The text in its place. */
  said: string;
  /** Earlier answers of the model in this conversation. */
  answers: number;
  /** The answer is being sent. */
  open: boolean;
  /** The command line hung up before the end. */
  aborted: boolean;
  /** When it arrived, in milliseconds of this process. */
  at: number;
  /** From the request to the end of the answer: the model's own time. */
  tookMs: number;
}

/** What to do for a prompt, given the results of its tools. Undefined: follow the directives. */
export type Script = (prompt: string, results: string[], tools: OfferedTool[]) => Step | undefined;

/**
 * Stands in for the model APIs on loopback (Anthropic Messages, OpenAI Responses and Chat Completions, Gemini) and
 * records what really arrived. Controlled by directives in the prompt, or by a script.
 */
export class MockModel {
  readonly log: Received[] = [];
  /** Paths that are not served. */
  readonly strays: string[] = [];
  readonly faults: string[] = [];
  delayMs = 300;
  /** For requests without tools: titles, summaries. */
  sideDelayMs = 0;
  chunkMs = 20;
  script: Script = () => undefined;
  /** Holds an answer back until something else has happened. */
  hold: (received: Received) => Promise<void> | undefined = () => undefined;
  /** Refuses a request in a vendor's words. */
  refuse: (received: Received) => Refusal | undefined = () => undefined;
  #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) => {
      this.faults.push(String(error));
      response.destroy();
    });
  });

  async open(): Promise<this> {
    this.#server.requestTimeout = 0;
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** How often exactly this text arrived as a new prompt. */
  timesPrompted(text: string): number {
    const sha256 = sha(text);
    return this.prompts().filter((each) => each.sha256 === sha256).length;
  }

  prompts(): Received[] {
    return this.log.filter(({ side, results }) => !side && results === 0);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = Buffer.concat(await request.toArray()).toString();
    const path = new URL(request.url ?? '/', this.url).pathname;
    if (/\/models$/.test(path)) return json(response, 200, models());
    if (/\/count_tokens$/.test(path)) return json(response, 200, { input_tokens: 100 });
    if (/:countTokens$/.test(path)) return json(response, 200, { totalTokens: 100 });
    const dialect = dialectOf(request.method ?? '', path);
    if (!dialect) {
      this.strays.push(`${request.method} ${path}`);
      return json(response, 404, { error: { type: 'not_found_error', message: 'no such route' } });
    }
    await this.#converse(dialect, { path, body: JSON.parse(text) }, response);
  }

  async #converse(
    dialect: Dialect,
    { path, body }: { path: string; body: Json },
    response: ServerResponse,
  ): Promise<void> {
    const conversation = readConversation(dialect, body);
    const { text: prompt, results } = lastPrompt(conversation);
    const side = conversation.tools.length === 0 || conversation.schema !== undefined;
    const step = side ? undefined : this.script(prompt, results, conversation.tools);
    const plan = planAnswer({ conversation, prompt, results, step, delayMs: this.delayMs });
    const received: Received = {
      path,
      dialect,
      tools: conversation.tools.length,
      side,
      prompt,
      sha256: sha(prompt),
      results: results.length,
      called: plan.call?.tool.name,
      said: plan.text,
      answers: conversation.items.filter(({ kind }) => kind === 'assistant').length,
      open: true,
      aborted: false,
      at: performance.now(),
      tookMs: 0,
    };
    this.log.push(received);
    response.on('close', () => {
      received.open = false;
      received.tookMs = performance.now() - received.at;
      received.aborted = !response.writableFinished;
    });
    if (plan.error !== undefined) {
      const { type, status, message } = ERRORS[plan.error] ?? OTHER_ERROR;
      const error = { type, code: plan.error, message, status };
      return json(response, plan.error, { type: 'error', error });
    }
    const refusal = this.refuse(received);
    if (refusal) return json(response, refusal.status, refusal.body, refusal.headers);
    if (plan.hang) return;
    await this.hold(received);
    if (side) plan.delayMs = this.sideDelayMs;
    const stream = body.stream === true || path.includes(':streamGenerateContent');
    await DIALECTS[dialect]({ response, body, plan, chunkMs: this.chunkMs, stream });
  }
}

const OTHER_ERROR = { type: 'api_error', status: 'UNAVAILABLE', message: 'mock error' };

/** What the APIs call the things that a test looks for. */
const ERRORS: Record<number, typeof OTHER_ERROR> = {
  401: { type: 'authentication_error', status: 'UNAUTHENTICATED', message: 'Invalid API key' },
  403: { type: 'permission_error', status: 'PERMISSION_DENIED', message: 'Access denied to this model' },
  429: { type: 'rate_limit_error', status: 'RESOURCE_EXHAUSTED', message: 'Too many requests' },
  529: { type: 'overloaded_error', status: 'UNAVAILABLE', message: 'Overloaded' },
};

function dialectOf(method: string, path: string): Dialect | undefined {
  if (method !== 'POST') return undefined;
  if (path.endsWith('/messages')) return 'anthropic';
  if (path.endsWith('/responses')) return 'responses';
  if (path.endsWith('/chat/completions')) return 'chat';
  return /:(stream)?[gG]enerateContent$/.test(path) ? 'gemini' : undefined;
}

function models(): Json {
  const model = { id: 'mock-model', type: 'model', object: 'model', display_name: 'Mock', owned_by: 'mock' };
  return {
    object: 'list',
    data: [{ ...model, created: 0, created_at: '2025-01-01T00:00:00Z' }],
    has_more: false,
  };
}

export function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
