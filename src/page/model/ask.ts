import type { PageSession } from '../../wire/index.ts';

/** A refusal in the server's words. Status 0: the server could not be reached. */
export class PageError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(status: number, code: string, message: string, hint?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

const API = '/ui/api/';
const HEADER = 'x-rouse-page';
const KEPT = 'rouse.csrf';

/** Half of the session's secret; the other half is a cookie that no script can read. Stored per origin, port included. */
let csrf = kept();
let onEnded: (() => void) | undefined;

function kept(): string | undefined {
  try {
    return localStorage.getItem(KEPT) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepSession(session: PageSession | undefined): void {
  csrf = session?.csrf;
  try {
    if (csrf) localStorage.setItem(KEPT, csrf);
    else localStorage.removeItem(KEPT);
  } catch {
    // Without storage the session ends with the tab.
  }
}

/** Without this half there is no session, so the server need not be asked. */
export const hasSession = (): boolean => csrf !== undefined;

/** Called whenever the server reports that the session has ended. */
export function whenSessionEnds(listener: () => void): void {
  onEnded = listener;
}

export interface Question {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  body?: unknown;
  query?: Record<string, string | number | undefined>;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
}

export const addressOf = (path: string, query?: Question['query']): string => `${API}${pathOf(path, query)}`;

/** The path below the API, with its query. */
export function pathOf(path: string, query: Question['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `${path}${search ? `?${search}` : ''}`;
}

/** One request to the server this page came from, and to no other. */
export async function askRaw(path: string, question: Question = {}): Promise<Response> {
  const { method = 'GET', body, query, signal, headers } = question;
  const response = await fetch(addressOf(path, query), {
    method,
    headers: {
      ...headers,
      'x-rouse': '1',
      ...(csrf && { [HEADER]: csrf }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'error',
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new PageError(
      0,
      'unreachable',
      'The server does not respond.',
      'Is it still running? "rouse server status" shows it.',
    );
  });
  if (!response.ok) throw await refusal(response, path);
  return response;
}

export async function ask<T>(path: string, question?: Question): Promise<T> {
  return (await (await askRaw(path, question)).json()) as T;
}

const refusal = async (response: Response, path: string): Promise<PageError> =>
  refusalOf(response.status, await response.json().catch(() => ({})), path);

export function refusalOf(status: number, body: unknown, path: string): PageError {
  const refused = body as { detail?: unknown; error?: { code?: string; message?: string; hint?: string } };
  const message =
    refused.error?.message ??
    (typeof refused.detail === 'string' ? refused.detail : `The server returned ${status}.`);
  if (status === 401 && path !== 'session') onEnded?.();
  return new PageError(status, refused.error?.code ?? 'unknown', message, refused.error?.hint);
}
