import { messageOf } from '../../base/index.ts';
import type { Journal } from '../control/journal.ts';
import type { MailOptions } from '../options.ts';

const MAX_ANSWER = 16 * 1024 * 1024;
const MAX_MESSAGES = 50;
/** One turn spends at most this many single-call timeouts on mail, so that it always ends. */
const CALLS_BUDGET = 8;
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);
const ROUND = /\[\[round=(\d{1,6})\]\]/;

interface Message {
  message_ref: string;
  subject?: string;
  body_text?: string;
}

/** The gateway whose mail routes a prompt names. Only a gateway on this machine is ever called. */
export function gatewayOf(prompt: string): string | undefined {
  for (const [, base = ''] of prompt.matchAll(/(https?:\/\/[^\s"'`<>()]{1,200}?)\/v1\/mail\b/g)) {
    try {
      const url = new URL(base);
      if (url.protocol === 'http:' && LOOPBACK.has(url.hostname)) return base;
    } catch {}
  }
  return undefined;
}

/** The round of an exchange that a message starts: our replies have a number, any other message starts the first. */
export function roundOf(body: string): number {
  return Number(ROUND.exec(body)?.[1] ?? 0) + 1;
}

/** Handles mail when a prompt asks for it: list, read, reply, archive. Records every step and survives every failure. */
export function mailActor(options: MailOptions, journal: Journal) {
  return async (prompt: string, turnId: string, signal: AbortSignal): Promise<string | undefined> => {
    const base = options.act ? gatewayOf(prompt) : undefined;
    if (base === undefined) return undefined;
    return new MailVisit(base, options, journal, turnId, signal).run();
  };
}

class MailVisit {
  #base: string;
  #options: MailOptions;
  #journal: Journal;
  #turnId: string;
  #signal: AbortSignal;
  #deadline: number;

  constructor(base: string, options: MailOptions, journal: Journal, turnId: string, signal: AbortSignal) {
    this.#base = base;
    this.#options = options;
    this.#journal = journal;
    this.#turnId = turnId;
    this.#signal = signal;
    this.#deadline = performance.now() + options.timeoutMs * CALLS_BUDGET;
  }

  async run(): Promise<string> {
    let messages: Message[];
    try {
      messages = await this.#list();
    } catch (error) {
      this.#note('mail_failed', { step: 'list', error: messageOf(error) });
      return 'I could not list my mail.';
    }
    let done = 0;
    // Oldest first.
    for (const message of messages.reverse()) if (await this.#process(message)) done++;
    return `I processed ${done} of ${messages.length} messages.`;
  }

  async #list(): Promise<Message[]> {
    const body = { box: 'inbox', read_state: this.#options.readState, archived: false, limit: MAX_MESSAGES };
    const answer = await this.#post('list', body);
    const messages = Array.isArray(answer['messages']) ? (answer['messages'] as Message[]) : [];
    const refs = messages.map((message) => message.message_ref);
    this.#note('mail_listed', { count: messages.length, message_refs: refs });
    return messages;
  }

  /** True when the message was read, answered if needed, and archived. */
  async #process(listed: Message): Promise<boolean> {
    const ref = listed.message_ref;
    let step = 'read';
    try {
      const message = ((await this.#post('read', { message_ref: ref }))['message'] ?? {}) as Message;
      this.#note('mail_read', { message_ref: ref, subject: message.subject ?? '' });
      step = 'reply';
      await this.#reply(ref, message);
      step = 'archive';
      await this.#post('archive', { message_refs: [ref] });
      this.#note('mail_archived', { message_ref: ref });
      return true;
    } catch (error) {
      this.#note('mail_failed', { step, message_ref: ref, error: messageOf(error) });
      return false;
    }
  }

  async #reply(ref: string, message: Message): Promise<void> {
    const round = roundOf(message.body_text ?? '');
    if (this.#options.reply === '' || round > this.#options.rounds) return;
    const text = this.#options.reply
      .replaceAll('{subject}', message.subject ?? '')
      .replaceAll('{round}', String(round));
    try {
      const answer = await this.#post('reply', {
        message_ref: ref,
        body_content: `${text}\n\n[[round=${round}]]\n`,
        // The same for a retry in another turn, so that the reply is sent only once.
        idempotency_key: `${ref} ${round}`.slice(-200),
      });
      const sent = (answer['message'] as Message | undefined)?.message_ref;
      this.#note('mail_replied', { message_ref: ref, reply_ref: sent, round });
    } catch (error) {
      // A message that does not allow a reply is finished without one. After any other failure it stays in the inbox.
      if (!(error instanceof Refused) || error.status !== 422) throw error;
      this.#note('mail_reply_refused', { message_ref: ref, error: messageOf(error) });
    }
  }

  #note(type: string, facts: Record<string, unknown>): void {
    this.#journal.record(type, { turn_id: this.#turnId, ...facts });
  }

  #post(operation: string, body: Record<string, unknown>): Promise<Record<string, unknown>> {
    const timeoutMs = Math.min(this.#options.timeoutMs, this.#deadline - performance.now());
    if (timeoutMs <= 0) return Promise.reject(new Error('no time left in this turn'));
    const url = `${this.#base}/v1/mail/${operation}`;
    return postJson(url, { schema_version: 1, ...body }, this.#signal, timeoutMs);
  }
}

class Refused extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(`${status}: ${detail}`);
    this.status = status;
  }
}

async function postJson(
  url: string,
  body: unknown,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Record<string, unknown>> {
  // Loaded only for mail: a turn without mail must start quickly.
  const http = await import('node:http');
  const payload = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
    const request = http.request(url, { method: 'POST', headers, signal, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_ANSWER) response.destroy(new Error('the answer is too large'));
        else chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const status = response.statusCode ?? 0;
        if (status !== 200) {
          reject(new Refused(status, text.slice(0, 400)));
          return;
        }
        try {
          resolve(JSON.parse(text) as Record<string, unknown>);
        } catch {
          reject(new Error('the answer is not JSON'));
        }
      });
    });
    const late = setTimeout(() => request.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    request.on('close', () => clearTimeout(late));
    request.on('error', reject);
    request.end(payload);
  });
}
