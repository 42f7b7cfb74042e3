import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Dialect, Json } from './conversation.ts';
import type { Plan } from './plan-answer.ts';

export interface Reply {
  response: ServerResponse;
  body: Json;
  plan: Plan;
  /** The pause between two words. */
  chunkMs: number;
  stream: boolean;
}

/** Writes an answer as each API streams it; every tool under test streams. */
export const DIALECTS: Record<Dialect, (reply: Reply) => Promise<void>> = {
  anthropic,
  responses,
  chat,
  gemini,
};

const id = (prefix: string): string => prefix + randomBytes(12).toString('hex');
const words = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? [''];

function event({ response }: Reply, data: Json, name?: string): void {
  response.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
}

export function json(response: ServerResponse, status: number, body: Json, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': id('req_'), ...headers });
  response.end(JSON.stringify(body));
}

function head({ response }: Reply): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': id('req_'),
  });
}

/** The words one by one, until the caller is gone. */
async function speak({ response, plan, chunkMs }: Reply, say: (word: string) => void): Promise<void> {
  for (const word of words(plan.text)) {
    if (response.destroyed) return;
    say(word);
    await wait(chunkMs);
  }
}

async function anthropic(reply: Reply): Promise<void> {
  const { response, body, plan, stream } = reply;
  const usage = {
    input_tokens: 100,
    output_tokens: 10,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  const message: Json = {
    id: id('msg_'),
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const call = plan.call;
  const block: Json = call
    ? { type: 'tool_use', id: call.id.replace('call_', 'toolu_'), name: call.tool.name, input: call.args }
    : { type: 'text', text: plan.text };
  const stop = call ? 'tool_use' : 'end_turn';
  if (!stream) {
    await wait(plan.delayMs);
    return json(response, 200, { ...message, content: [block], stop_reason: stop });
  }
  const say = (type: string, data: Json): void => event(reply, { type, ...data }, type);
  head(reply);
  say('message_start', { message });
  await wait(plan.delayMs);
  say('content_block_start', {
    index: 0,
    content_block: call ? { ...block, input: {} } : { type: 'text', text: '' },
  });
  const delta = (data: Json): void => say('content_block_delta', { index: 0, delta: data });
  if (call) delta({ type: 'input_json_delta', partial_json: JSON.stringify(call.args) });
  else await speak(reply, (text) => delta({ type: 'text_delta', text }));
  say('content_block_stop', { index: 0 });
  say('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage });
  say('message_stop', {});
  response.end();
}

async function responses(reply: Reply): Promise<void> {
  const { response, body, plan, stream } = reply;
  const answer: Json = {
    id: id('resp_'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    model: body.model,
    status: 'in_progress',
    output: [],
    error: null,
  };
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 110,
  };
  const item = responsesItem(plan);
  const done = { ...answer, status: 'completed', output: [item], usage };
  if (!stream) {
    await wait(plan.delayMs);
    return json(response, 200, done);
  }
  let number = 0;
  const say = (type: string, data: Json): void =>
    event(reply, { type, sequence_number: number++, ...data }, type);
  const place = { item_id: item.id, output_index: 0 };
  head(reply);
  say('response.created', { response: answer });
  await wait(plan.delayMs);
  if (plan.call) {
    const empty = 'arguments' in item ? { arguments: '' } : { input: '' };
    say('response.output_item.added', {
      output_index: 0,
      item: { ...item, status: 'in_progress', ...empty },
    });
    if ('arguments' in item)
      say('response.function_call_arguments.done', { ...place, arguments: item.arguments });
  } else {
    say('response.output_item.added', {
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [] },
    });
    const part = { ...place, content_index: 0 };
    say('response.content_part.added', { ...part, part: { type: 'output_text', text: '', annotations: [] } });
    await speak(reply, (delta) => say('response.output_text.delta', { ...part, delta }));
    say('response.output_text.done', { ...part, text: plan.text });
  }
  say('response.output_item.done', { output_index: 0, item });
  say('response.completed', { response: done });
  response.end();
}

function responsesItem({ call, text }: Plan): Json {
  if (!call) {
    const content = [{ type: 'output_text', text, annotations: [] }];
    return { type: 'message', id: id('msg_'), role: 'assistant', status: 'completed', content };
  }
  const shared = { call_id: call.id, name: call.tool.name, status: 'completed' };
  if (call.tool.type === 'custom')
    return { type: 'custom_tool_call', id: id('ctc_'), ...shared, input: call.input };
  const namespace = call.tool.namespace === undefined ? {} : { namespace: call.tool.namespace };
  return {
    type: 'function_call',
    id: id('fc_'),
    ...shared,
    ...namespace,
    arguments: JSON.stringify(call.args),
  };
}

async function chat(reply: Reply): Promise<void> {
  const { response, body, plan, stream } = reply;
  const base = { id: id('chatcmpl-'), created: Math.floor(Date.now() / 1000), model: body.model };
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const calls = plan.call && [
    {
      index: 0,
      id: plan.call.id,
      type: 'function',
      function: { name: plan.call.tool.name, arguments: JSON.stringify(plan.call.args) },
    },
  ];
  const finish = plan.call ? 'tool_calls' : 'stop';
  if (!stream) {
    await wait(plan.delayMs);
    const message = { role: 'assistant', content: plan.text, ...(calls && { tool_calls: calls }) };
    const choices = [{ index: 0, message, finish_reason: finish }];
    return json(response, 200, { ...base, object: 'chat.completion', choices, usage });
  }
  const say = (delta: Json, finish_reason: string | null = null): void =>
    event(reply, { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
  head(reply);
  say({ role: 'assistant', content: '' });
  await wait(plan.delayMs);
  if (calls) say({ tool_calls: calls });
  else await speak(reply, (content) => say({ content }));
  say({}, finish);
  if (body.stream_options?.include_usage)
    event(reply, { ...base, object: 'chat.completion.chunk', choices: [], usage });
  response.end('data: [DONE]\n\n');
}

async function gemini(reply: Reply): Promise<void> {
  const { response, plan, stream } = reply;
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 };
  const made = (part: Json, finishReason?: string): Json => ({
    candidates: [
      { content: { role: 'model', parts: [part] }, index: 0, ...(finishReason && { finishReason }) },
    ],
    usageMetadata,
    modelVersion: 'mock',
  });
  const call = plan.call && { functionCall: { name: plan.call.tool.name, args: plan.call.args } };
  await wait(plan.delayMs);
  if (!stream) return json(response, 200, made(call ?? { text: plan.text }, 'STOP'));
  head(reply);
  if (call) event(reply, made(call, 'STOP'));
  else {
    await speak(reply, (text) => event(reply, made({ text })));
    event(reply, made({ text: '' }, 'STOP'));
  }
  response.end();
}
