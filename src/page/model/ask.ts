import type { PageSession } from '../../wire/index.ts';

/** What the server refused, in its own words; status 0: it was not reached at all. */
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

/** Half of the session; the other half is a cookie that no script can read. Kept for this origin, port included. */
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
    // Without storage the session lives as long as the tab.
  }
}

/** Without its half no session can be running: nobody is asked. */
export const hasSession = (): boolean => csrf !== undefined;

/** Called whenever the server says that nobody is logged in. */
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

/** Below the API. */
export function pathOf(path: string, query: Question['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `${path}${search ? `?${search}` : ''}`;
}

/** One question to the server this page came from, and to no other. */
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
      'The server does not answer.',
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
    (typeof refused.detail === 'string' ? refused.detail : `The server said ${status}.`);
  if (status === 401 && path !== 'session') onEnded?.();
  return new PageError(status, refused.error?.code ?? 'unknown', message, refused.error?.hint);
}
