import { useRef, useState } from 'react';
import { ask, PageError } from '../model/ask.ts';

export type Sending<R> =
  | { state: 'idle' }
  | { state: 'sending' }
  | { state: 'done'; receipt: R }
  | { state: 'failed'; error: unknown };

export interface Action<R> {
  sending: Sending<R>;
  run(path: string, body?: object, method?: 'POST' | 'PUT'): Promise<R | undefined>;
  reset(): void;
}

/**
 * One click, one action. A second click while the first is running does nothing. If a response was lost, the same id is
 * sent again, and the server returns its first response instead of acting twice.
 */
export function useAction<R>(): Action<R> {
  const [sending, setSending] = useState<Sending<R>>({ state: 'idle' });
  const busy = useRef(false);
  const unconfirmed = useRef<{ what: string; id: string }>(undefined);
  const run: Action<R>['run'] = async (path, body = {}, method = 'POST') => {
    if (busy.current) return undefined;
    busy.current = true;
    setSending({ state: 'sending' });
    const what = JSON.stringify([path, body]);
    const id = unconfirmed.current?.what === what ? unconfirmed.current.id : newId();
    unconfirmed.current = { what, id };
    try {
      const receipt = await ask<R>(path, { method, body: { ...body, action_id: id } });
      unconfirmed.current = undefined;
      setSending({ state: 'done', receipt });
      return receipt;
    } catch (error) {
      if (error instanceof PageError && error.status >= 400 && error.status < 500)
        unconfirmed.current = undefined;
      setSending({ state: 'failed', error });
      return undefined;
    } finally {
      busy.current = false;
    }
  };
  return { sending, run, reset: () => setSending({ state: 'idle' }) };
}

/** `randomUUID` exists only on loopback and behind TLS. */
export function newId(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
