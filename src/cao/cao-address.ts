import { invalid } from '../base/index.ts';

export interface CaoAddress {
  host: string;
  port: number;
  /** `http://host:port`. */
  baseUrl: string;
}

export const DEFAULT_CAO_URL = 'http://127.0.0.1:9889';

/** The names that a CAO server accepts for its own host; it refuses every caller at `[::1]`. */
const OWN_HOSTS = ['localhost', '127.0.0.1'];

/**
 * Parses the address of a CAO server. It lets anyone type into its terminals without a password, so another host name is
 * used only if the operator named it in `ROUSE_CAO_HOSTS`.
 */
export function caoAddress(text: string, allowed: readonly string[] = []): CaoAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url?.protocol === 'http:' && url.pathname === '/' && url.search === '' && url.hash === '';
  if (!plain || url.username !== '' || url.password !== '')
    throw invalid(
      `the address of a CAO server must look like http://127.0.0.1:9889, not ${JSON.stringify(text)}`,
    );
  const { hostname: host } = url;
  if (!OWN_HOSTS.includes(host) && !allowed.includes(host)) {
    throw invalid(`the CAO server at ${host} is not on this host`, {
      hint: 'its terminals must be in the tmux of this host; name the host in ROUSE_CAO_HOSTS if it is this one',
      facts: { cause: 'not_loopback', base_url: url.origin },
    });
  }
  return { host, port: Number(url.port || 80), baseUrl: url.origin };
}
