import { useSyncExternalStore } from 'react';

/** How far the server's clock is ahead of this machine's. All ages use the server's clock. */
let aheadMs = 0;

export function setServerTime(nowUtc: string): void {
  const server = Date.parse(nowUtc);
  if (Number.isFinite(server)) aheadMs = server - Date.now();
}

export const serverNow = (): number => Date.now() + aheadMs;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One tick a second for all ages on the page; none while the tab is hidden. */
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

/** Words that depend on the time; renders only when they change. */
export const useTicking = (words: () => string): string => useSyncExternalStore(onTick, words);

/** `4 s`, `12 min`, `3 h`, `5 d`. */
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
