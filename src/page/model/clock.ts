import { useSyncExternalStore } from 'react';

/** Ahead of this machine's clock by so much is the server's, by which all ages are told. */
let aheadMs = 0;

export function setServerTime(nowUtc: string): void {
  const server = Date.parse(nowUtc);
  if (Number.isFinite(server)) aheadMs = server - Date.now();
}

export const serverNow = (): number => Date.now() + aheadMs;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One tick a second for every age on the page, and none while nobody looks. */
function onTick(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    if (!document.hidden) for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** What the clock says of something, drawn again only when the words change. */
export const useTicking = (words: () => string): string => useSyncExternalStore(onTick, words);

/** `4 s`, `12 min`, `3 h`, `5 d`: as long as it takes to read it. */
export function lengthInWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return hours < 10 && minutes % 60 > 0 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.floor(hours / 24)} d`;
}

export function absolute(utc: string): string {
  const at = new Date(utc);
  if (Number.isNaN(at.getTime())) return utc;
  return `${at.toISOString().replace('T', ' ').slice(0, 19)} UTC · ${at.toLocaleString()} here`;
}

const time = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });

export const timeOfDay = (utc: string | number): string => safely(() => time.format(new Date(utc)));
export const dayOf = (utc: string): string => safely(() => day.format(new Date(utc)));

function safely(format: () => string): string {
  try {
    return format();
  } catch {
    return '?';
  }
}

/** Resolves after this time, or when aborted. */
export function waited(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done();
    });
  });
}
