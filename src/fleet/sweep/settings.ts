import type { Log } from '../../base/index.ts';

const MAX_SECONDS = 366 * 24 * 3600;

/**
 * A whole number of seconds above zero. Anything else is logged, and the default is used: a typo must not stop a
 * server.
 */
export function positiveSeconds(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  { fallback, log }: { fallback: number; log: Log },
): number {
  const text = env[name]?.trim();
  if (text === undefined || text === '' || text === String(fallback)) return fallback;
  const value = /^\+?\d{1,12}$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= MAX_SECONDS) return value;
  log.warn(`${name} must be a whole number above zero; using the default`, {
    value: text.slice(0, 40),
    default: fallback,
  });
  return fallback;
}

/** `true` in any case; everything else is false, and reported unless it is `false` or empty. */
export function isTrue(env: Readonly<Record<string, string | undefined>>, name: string, log: Log): boolean {
  const text = env[name]?.trim().toLowerCase() ?? '';
  if (text !== 'true' && text !== 'false' && text !== '')
    log.warn(`${name} is ignored: it takes only "true"`, { value: text.slice(0, 40) });
  return text === 'true';
}
