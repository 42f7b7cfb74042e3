import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../base/index.ts';
import { Journal } from '../control/journal.ts';
import type { MailOptions } from '../options.ts';
import { gatewayOf, mailActor, roundOf } from './mail-actor.ts';

type Answer = { status?: number; body?: unknown; raw?: string; hang?: boolean };

let server: http.Server;
let calls: { path: string; body: Record<string, unknown> }[];
let answers: Record<string, (body: Record<string, unknown>) => Answer>;
let base: string;

beforeEach(async () => {
  calls = [];
  answers = {
    '/v1/mail/list': () => ({
      body: { messages: [{ message_ref: 'filesystem:2' }, { message_ref: 'filesystem:1' }] },
    }),
    '/v1/mail/read': (body) => ({ body: { message: { ...body, subject: 'ping', body_text: 'hello' } } }),
    '/v1/mail/reply': () => ({ body: { message: { message_ref: 'filesystem:9' } } }),
    '/v1/mail/archive': () => ({ body: { message_count: 1 } }),
  };
  server = http.createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const body = JSON.parse(text) as Record<string, unknown>;
      calls.push({ path: request.url ?? '', body });
      const { status = 200, body: answer, raw, hang } = answers[request.url ?? '']?.(body) ?? { status: 404 };
      if (hang) return;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(raw ?? JSON.stringify(answer ?? { detail: 'no' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function act(
  change: Partial<MailOptions> = {},
  prompt = `- POST ${base}/v1/mail/list`,
  signal?: AbortSignal,
) {
  const journal = new Journal(undefined, new FakeClock());
  const options = {
    act: true,
    reply: 'pong {round}: {subject}',
    rounds: 3,
    readState: 'any',
    timeoutMs: 2000,
  } as const;
  const actor = mailActor({ ...options, ...change }, journal);
  const summary = await actor(prompt, 't1', signal ?? new AbortController().signal);
  return { summary, records: journal.since(0) };
}

describe('acting on mail', () => {
  it('the mail actor lists, reads, replies and archives, oldest first, and records each step', async () => {
    const { summary, records } = await act();
    expect(summary).toBe('I processed 2 of 2 messages.');
    const steps = ['/v1/mail/read', '/v1/mail/reply', '/v1/mail/archive'];
    expect(calls.map((call) => call.path)).toEqual(['/v1/mail/list', ...steps, ...steps]);
    expect(calls[0]!.body).toEqual({
      schema_version: 1,
      box: 'inbox',
      read_state: 'any',
      archived: false,
      limit: 50,
    });
    expect(calls[1]!.body).toMatchObject({ message_ref: 'filesystem:1' });
    expect(calls[2]!.body).toMatchObject({ body_content: 'pong 1: ping\n\n[[round=1]]\n' });
    expect(records.map((record) => record.type)).toEqual([
      'mail_listed',
      ...['mail_read', 'mail_replied', 'mail_archived', 'mail_read', 'mail_replied', 'mail_archived'],
    ]);
    expect(records.every((record) => record['turn_id'] === 't1')).toBe(true);
  });

  it('the mail actor stops replying after the agreed rounds, but still archives', async () => {
    answers['/v1/mail/read'] = () => ({
      body: { message: { subject: 'Re: ping', body_text: 'x\n[[round=3]]\n' } },
    });
    const { records } = await act();
    expect(records.map((record) => record.type)).not.toContain('mail_replied');
    expect(records.filter((record) => record.type === 'mail_archived')).toHaveLength(2);
  });

  it('a message whose reply failed stays in the inbox, and the others are handled', async () => {
    answers['/v1/mail/reply'] = (body) =>
      body['message_ref'] === 'filesystem:1' ? { status: 502 } : { body: {} };
    const { summary, records } = await act();
    expect(summary).toBe('I processed 1 of 2 messages.');
    expect(records.filter((record) => record.type === 'mail_archived')).toMatchObject([
      { message_ref: 'filesystem:2' },
    ]);
    expect(records.filter((record) => record.type === 'mail_failed')).toMatchObject([
      { step: 'reply', message_ref: 'filesystem:1' },
    ]);
  });

  it('a note that does not allow a reply is archived', async () => {
    answers['/v1/mail/reply'] = () => ({ status: 422 });
    const { summary } = await act();
    expect(summary).toBe('I processed 2 of 2 messages.');
  });

  it.each([
    ['does not answer', { hang: true }],
    ['answers nonsense', { raw: '<html>' }],
    ['refuses', { status: 503 }],
  ])('the mail actor ends its turn also when the gateway %s', async (_, answer) => {
    answers['/v1/mail/list'] = () => answer;
    const { summary, records } = await act({ timeoutMs: 50 });
    expect(summary).toBe('I could not list my mail.');
    expect(records.at(-1)).toMatchObject({ type: 'mail_failed', step: 'list' });
  });

  it('the mail actor stops when the turn is interrupted', async () => {
    answers['/v1/mail/list'] = () => ({ hang: true });
    const abort = new AbortController();
    const done = act({ timeoutMs: 60_000 }, undefined, abort.signal);
    setImmediate(() => abort.abort());
    expect((await done).summary).toBe('I could not list my mail.');
  });

  it('the mail actor does nothing without --act-on-mail', async () => {
    expect((await act({ act: false })).summary).toBeUndefined();
    expect((await act({}, 'no gateway here')).summary).toBeUndefined();
    expect(calls).toEqual([]);
  });

  it.each([
    ['base URL http://127.0.0.1:4000 and GET http://127.0.0.1:4000/v1/mail/status', 'http://127.0.0.1:4000'],
    ['`http://localhost:80/v1/mail/list`', 'http://localhost:80'],
    ['http://evil.example/v1/mail/list', undefined],
    ['http://evil.example/v1/mail/list then http://127.0.0.1:1/v1/mail/list', 'http://127.0.0.1:1'],
    ['http://127.0.0.1@evil.example/v1/mail/list', undefined],
    ['https://127.0.0.1/v1/mail/list', undefined],
    ['http://127.0.0.1:4000/v1/status', undefined],
  ])('the prompt %j names the gateway %s', (prompt, gateway) => {
    expect(gatewayOf(prompt)).toBe(gateway);
  });

  it('the round of an exchange comes from the mark in the body', () => {
    expect([roundOf('hello'), roundOf('pong [[round=2]]')]).toEqual([1, 3]);
  });
});
