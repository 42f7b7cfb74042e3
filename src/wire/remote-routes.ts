import { fillPath, methodOf, pathOf } from './place.ts';
import { GATEWAY_PLACES } from './places.ts';

/**
 * The only routes that may be called on a gateway of another host: no raw keys, no streams, nothing that attaches or ends
 * anything. A held response comes after a while as it is then.
 */
export const REMOTE_ROUTES = [
  'status',
  'requests.create',
  'requests.list',
  'requests.get',
  'requests.cancel',
  'reconciliation.get',
  'control.prompt',
  'tui.state',
  'tui.history',
  'headless.state',
  'pause.status',
  'pause.begin',
  'pause.end',
  'reminders.create',
  'reminders.list',
  'reminders.get',
  'reminders.put',
  'reminders.delete',
  'mail.status',
  'mail.waits',
  'mail.list',
  'mail.check',
  'mail.search',
  'mail.peek',
  'mail.read',
  'mail.send',
  'mail.post',
  'mail.reply',
  'mail.mark',
  'mail.move',
  'mail.archive',
  'notifier.status',
  'notifier.decisions',
  'notifier.preview',
] as const satisfies readonly (keyof typeof GATEWAY_PLACES)[];

/**
 * Returns the gateway route that this method and path are, if it may be called from another host. Pass the path without its
 * query. A path that a URL would change, such as one with `..` or `\\`, is no route: it would match one pattern and reach another.
 */
export function remoteRoute(method: string, path: string): (typeof REMOTE_ROUTES)[number] | undefined {
  if (!isPlain(path)) return undefined;
  return REMOTE_ROUTES.find((id) => methodOf(GATEWAY_PLACES[id]) === method && PATTERNS[id].test(path));
}

function isPlain(path: string): boolean {
  const url = `http://127.0.0.1${path}`;
  return path.startsWith('/') && URL.canParse(url) && new URL(url).pathname === path;
}

const PATTERNS = Object.fromEntries(
  REMOTE_ROUTES.map((id) => [
    id,
    new RegExp(`^${fillPath(pathOf(GATEWAY_PLACES[id]), () => '[^/]+')}$`.replaceAll('.', '\\.')),
  ]),
) as Record<(typeof REMOTE_ROUTES)[number], RegExp>;
