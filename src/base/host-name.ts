import { invalid } from './errors.ts';

const LONGEST = 200;

/** What a host is called: as somebody said (`ROUSE_HOST_NAME`), else as the system says. For people; nothing is decided by it. */
export function hostNameOf(said: string | undefined, system: string): string {
  const given = said?.trim();
  if (!given) return system.slice(0, LONGEST) || 'localhost';
  if (given.length <= LONGEST && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(given)) return given;
  throw invalid(`ROUSE_HOST_NAME must be one line of at most ${LONGEST} characters`);
}
