import { invalid } from '../base/index.ts';
import type * as wire from '../wire/index.ts';
import { followEvents, type ServerEvent } from './event-stream.ts';
import { type Exchange, exchange, type Target } from './exchange.ts';

export interface GatewayClientOptions {
  /** As in state.json. A gateway bound to every address is reached on loopback. */
  host: string;
  port: number;
  token?: string | undefined;
  /** For one call, in milliseconds. Default 5000. */
  timeoutMs?: number | undefined;
  /** Where a `/v1` path is served, when not by the gateway itself; see pairPath. */
  pathOf?: ((path: string) => string) | undefined;
}

export interface CallOptions {
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

export type RequestExtras = Pick<wire.RequestInput, 'idempotency_key' | 'expires_at' | 'priority'>;
export type PromptExtras = RequestExtras & { wait_in_line?: boolean };

const DEFAULT_TIMEOUT_MS = 5000;

/** A gateway's routes as methods. Answers are believed once status and JSON are right; errors are RouseErrors. */
export class GatewayClient {
  #target: Target;
  #pathOf: (path: string) => string;

  constructor({ host, port, token, timeoutMs = DEFAULT_TIMEOUT_MS, pathOf }: GatewayClientOptions) {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      throw invalid(`the gateway port must be an integer from 1 to 65535, but is ${port}`);
    }
    this.#target = { host: host === '0.0.0.0' ? '127.0.0.1' : host, port, token, timeoutMs };
    this.#pathOf = pathOf ?? ((path) => path);
  }

  async request<T = unknown>(
    method: Exchange['method'],
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<T> {
    return (await exchange(this.#target, { method, path: this.#pathOf(path), body, ...options })) as T;
  }

  #get<T>(path: string, options?: CallOptions): Promise<T> {
    return this.request('GET', path, undefined, options);
  }

  #post<T>(path: string, body: unknown, options?: CallOptions): Promise<T> {
    return this.request('POST', path, body, options);
  }

  /** Compare `instance_id` with run/current-instance.json before trusting whoever answers on this port. */
  health(options?: CallOptions): Promise<wire.Health> {
    return this.#get('/health', options);
  }

  status(options?: CallOptions): Promise<wire.GatewayStatus> {
    return this.#get('/v1/status', options);
  }

  createRequest(body: wire.RequestInput, options?: CallOptions): Promise<wire.RequestAccepted> {
    return this.#post('/v1/requests', body, options);
  }

  submitPrompt(
    payload: wire.SubmitPromptPayload,
    extras?: PromptExtras,
    options?: CallOptions,
  ): Promise<wire.RequestAccepted> {
    return this.createRequest({ kind: 'submit_prompt', payload, ...extras }, options);
  }

  interrupt(extras?: RequestExtras, options?: CallOptions): Promise<wire.RequestAccepted> {
    return this.createRequest({ kind: 'interrupt', payload: {}, ...extras }, options);
  }

  requests(
    query: { state?: string; limit?: number; before?: number } = {},
    options?: CallOptions,
  ): Promise<wire.RequestList> {
    const asked = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    return this.request(
      'GET',
      `/v1/requests${asked.length ? `?${asked.join('&')}` : ''}`,
      undefined,
      options,
    );
  }

  /** With `wait`, answered when the request has ended. */
  getRequest(id: string, wait = false, options?: CallOptions): Promise<wire.RequestView> {
    return this.request(
      'GET',
      `/v1/requests/${encodeURIComponent(id)}${wait ? '?wait' : ''}`,
      undefined,
      options,
    );
  }

  cancelRequest(id: string, options?: CallOptions): Promise<wire.RequestView> {
    return this.request('POST', `/v1/requests/${encodeURIComponent(id)}/cancel`, undefined, options);
  }

  /**
   * Ledger entries as they are written; with `after`, first those since that event; of one request, from its beginning
   * until nothing more can come.
   */
  events(
    wanted: { after?: string | undefined; request_id?: string | undefined },
    signal?: AbortSignal,
  ): AsyncGenerator<ServerEvent> {
    const asked = Object.entries(wanted)
      .filter((each): each is [string, string] => each[1] !== undefined)
      .map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    const path = this.#pathOf(`/v1/events${asked.length ? `?${asked.join('&')}` : ''}`);
    return followEvents(this.#target, { path, signal, ends: wanted.request_id !== undefined });
  }

  reconciliation(options?: CallOptions): Promise<wire.Reconciliation> {
    return this.request('GET', '/v1/reconciliation', undefined, options);
  }

  reconcile(body: wire.ReconcileInput, options?: CallOptions): Promise<wire.Reconciliation> {
    return this.request('POST', '/v1/reconciliation', body, options);
  }

  decisions(limit: number, before?: number, options?: CallOptions): Promise<wire.NotifierDecisions> {
    const page = before === undefined ? '' : `&before=${before}`;
    return this.#get(`/v1/mail-notifier/decisions?limit=${limit}${page}`, options);
  }

  /** The request that announced a message which is still open; null when none has. */
  async announcedBy(messageRef: string, options?: CallOptions): Promise<string | null> {
    const path = `/v1/mail-notifier/decisions?limit=1&message_ref=${encodeURIComponent(messageRef)}`;
    return (await this.#get<wire.NotifierDecisions>(path, options)).announced_by ?? null;
  }

  prompt(body: wire.ControlPromptInput, options?: CallOptions): Promise<wire.PromptResult> {
    return this.#post('/v1/control/prompt', body, options);
  }

  sendKeys(body: wire.SendKeysInput, options?: CallOptions): Promise<wire.ControlResult> {
    return this.#post('/v1/control/send-keys', body, options);
  }

  tuiState(options?: CallOptions): Promise<wire.TuiState> {
    return this.#get('/v1/control/tui/state', options);
  }

  /** Newest last; zero or less asks for everything that is kept. */
  tuiHistory(limit?: number, options?: CallOptions): Promise<wire.TuiHistory> {
    return this.#get(`/v1/control/tui/history${limit === undefined ? '' : `?limit=${limit}`}`, options);
  }

  notePrompt(payload: wire.SubmitPromptPayload, options?: CallOptions): Promise<wire.TuiState> {
    return this.#post('/v1/control/tui/note-prompt', payload, options);
  }

  headlessState(options?: CallOptions): Promise<wire.HeadlessState> {
    return this.#get('/v1/control/headless/state', options);
  }

  nextPromptSession(options?: CallOptions): Promise<wire.HeadlessState> {
    return this.#post('/v1/control/headless/next-prompt-session', { mode: 'new' }, options);
  }

  reminders(options?: CallOptions): Promise<wire.ReminderSet> {
    return this.#get('/v1/reminders', options);
  }

  createReminders(
    reminders: wire.ReminderDefinitionInput[],
    options?: CallOptions,
  ): Promise<wire.ReminderSet> {
    return this.#post('/v1/reminders', { reminders }, options);
  }

  async reminder(id: string, options?: CallOptions): Promise<wire.Reminder> {
    return this.#get(`/v1/reminders/${segment(id, 'reminder id')}`, options);
  }

  async putReminder(id: string, body: wire.PutReminderInput, options?: CallOptions): Promise<wire.Reminder> {
    return this.request('PUT', `/v1/reminders/${segment(id, 'reminder id')}`, body, options);
  }

  async deleteReminder(id: string, options?: CallOptions): Promise<wire.ReminderDeleted> {
    return this.request('DELETE', `/v1/reminders/${segment(id, 'reminder id')}`, undefined, options);
  }

  mailStatus(options?: CallOptions): Promise<wire.MailStatus> {
    return this.#get('/v1/mail/status', options);
  }

  mailList(body: wire.MailListInput = {}, options?: CallOptions): Promise<wire.MailList> {
    return this.#post('/v1/mail/list', body, options);
  }

  mailSearch(body: wire.MailSearchInput, options?: CallOptions): Promise<wire.MailList> {
    return this.#post('/v1/mail/search', body, options);
  }

  mailPeek(body: wire.MailOneInput, options?: CallOptions): Promise<wire.MailOne> {
    return this.#post('/v1/mail/peek', body, options);
  }

  mailRead(body: wire.MailOneInput, options?: CallOptions): Promise<wire.MailOne> {
    return this.#post('/v1/mail/read', body, options);
  }

  mailSend(body: wire.MailSendInput, options?: CallOptions): Promise<wire.MailOne> {
    return this.#post('/v1/mail/send', body, options);
  }

  mailPost(body: wire.MailPostInput, options?: CallOptions): Promise<wire.MailOne> {
    return this.#post('/v1/mail/post', body, options);
  }

  mailReply(body: wire.MailReplyInput, options?: CallOptions): Promise<wire.MailOne> {
    return this.#post('/v1/mail/reply', body, options);
  }

  mailMark(body: wire.MailMarkInput, options?: CallOptions): Promise<wire.MailMany> {
    return this.#post('/v1/mail/mark', body, options);
  }

  mailMove(body: wire.MailMoveInput, options?: CallOptions): Promise<wire.MailMany> {
    return this.#post('/v1/mail/move', body, options);
  }

  mailArchive(body: wire.MailArchiveInput, options?: CallOptions): Promise<wire.MailMany> {
    return this.#post('/v1/mail/archive', body, options);
  }

  notifier(options?: CallOptions): Promise<wire.MailNotifierStatus> {
    return this.#get('/v1/mail-notifier', options);
  }

  enableNotifier(body: wire.MailNotifierInput, options?: CallOptions): Promise<wire.MailNotifierStatus> {
    return this.request('PUT', '/v1/mail-notifier', body, options);
  }

  disableNotifier(options?: CallOptions): Promise<wire.MailNotifierStatus> {
    return this.request('DELETE', '/v1/mail-notifier', undefined, options);
  }
}

/** One segment of a path; what a server would fold away (`.`, `..`) or take for another route is refused. */
export function segment(text: string, what: string): string {
  if (text === '' || text === '.' || text === '..')
    throw invalid(`${what} ${JSON.stringify(text)} is not valid`);
  return encodeURIComponent(text);
}
