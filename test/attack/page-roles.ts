import { codesOf, PAGE_ROLES, type PageRole, rightsOf } from '../../src/domain/index.ts';
import { PAGE_HEADER, type PAGE_ROUTES } from '../../src/wire/index.ts';
import { ask, asProgram, type Call } from './call.ts';
import type { Cell } from './callers.ts';
import { type Target, targets } from './routes.ts';
import type { Stage } from './stage.ts';
import { isOpen } from './through-proxy.ts';

/**
 * The least role for each route of the page, written by hand; a new route does not compile without its own. `keeper`: the
 * command line of the owner, never a page. `session`: any session, and it changes only that session.
 */
const NEEDS: Record<keyof typeof PAGE_ROUTES, PageRole | 'keeper' | 'session'> = {
  'page.codes.create': 'keeper',
  'page.sessions.list': 'keeper',
  'page.revoke': 'keeper',
  'page.audit': 'keeper',
  'page.login': 'session',
  'page.logout': 'session',
  'page.session': 'view',
  'page.snapshot': 'view',
  'page.lanes': 'view',
  'page.health': 'view',
  'page.waits': 'view',
  'page.day': 'view',
  'page.visit': 'view',
  'page.visit.mark': 'view',
  'page.events': 'view',
  'page.agent': 'view',
  'page.agent.seen': 'view',
  'page.agent.timeline': 'view',
  'page.agent.ledger': 'view',
  'page.agent.screen': 'view',
  'page.agent.queue': 'view',
  'page.agent.reminders': 'view',
  'page.agent.prompt': 'operate',
  'page.agent.interrupt': 'operate',
  'page.agent.pause': 'operate',
  'page.agent.mute': 'view',
  'page.agent.stop': 'run',
  'page.agent.relaunch': 'run',
  'page.agent.attach': 'run',
  'page.agent.dialog': 'operate',
  'page.agent.cancel': 'operate',
  'page.reminders': 'view',
  'page.reminders.create': 'operate',
  'page.reminders.edit': 'operate',
  'page.reminders.order': 'operate',
  'page.reminders.restore': 'operate',
  'page.reminders.next': 'view',
  'page.reminders.pause': 'operate',
  'page.reminders.delete': 'operate',
  'page.mailboxes': 'view',
  'page.mail.list': 'view',
  'page.mail.message': 'view',
  'page.mail.thread': 'view',
  'page.mail.attachment': 'view',
  'page.mail.receipts': 'view',
  'page.mail.send': 'answer',
  'page.mail.reply': 'answer',
  // For an agent's mailbox, which the bodies name.
  'page.mail.sort': 'operate',
  'page.mail.restore': 'operate',
  'page.requests': 'view',
  'page.request': 'view',
  'page.request.create': 'answer',
  'page.request.message': 'answer',
  'page.request.respond': 'answer',
  'page.request.cancel': 'operate',
  'page.push': 'answer',
  'page.push.add': 'answer',
  'page.push.remove': 'answer',
  'page.search': 'view',
  'page.several': 'view',
};

interface Visitor {
  name: string;
  /** Undefined: no session. */
  role?: PageRole;
  headers: Record<string, string>;
}

const STATUSES = { none: [401, 429], keeper: [403], refused: [401, 403, 415] } as const;

/** What this visitor must get; undefined: it is allowed and changes something. */
function expected(
  { id, server, route, changes, ...target }: Target,
  { role }: Visitor,
): Cell['expected'] | undefined {
  const need = server === 'fleet' ? (NEEDS as Record<string, string>)[id] : undefined;
  if (need === undefined)
    return isOpen({ id, server, route, changes, ...target }) ? undefined : STATUSES.refused;
  if (need === 'keeper') return STATUSES.refused;
  if (role === undefined) return STATUSES.none;
  if (need === 'session') return id === 'page.login' ? STATUSES.none : undefined;
  if (!rightsOf(need as PageRole).every((right) => rightsOf(role).includes(right))) return STATUSES.keeper;
  return changes ? undefined : 'admitted';
}

/** A session of this role, opened as the command line and a browser do. */
export async function visitorAs(
  stage: Stage,
  role: PageRole,
): Promise<Required<Visitor> & { cookie: string; csrf: string }> {
  const at = { port: stage.fleetPort, method: 'POST' };
  const origin = `http://127.0.0.1:${stage.fleetPort}`;
  const made = await ask(asProgram({ ...at, path: '/ui/api/codes', body: { role, name: role } }));
  const { code } = JSON.parse(made.text) as { code: string };
  const begun = await ask(asProgram({ ...at, path: '/ui/api/session', body: { code }, headers: { origin } }));
  const { csrf } = JSON.parse(begun.text) as { csrf: string };
  const cookie = begun.headers['set-cookie']![0]!.split(';')[0]!;
  return { name: `page: role ${role}`, role, headers: { cookie, [PAGE_HEADER]: csrf }, cookie, csrf };
}

async function visitors(stage: Stage): Promise<Visitor[]> {
  const roles: Awaited<ReturnType<typeof visitorAs>>[] = [];
  for (const role of codesOf(PAGE_ROLES)) roles.push(await visitorAs(stage, role));
  const [view, operate] = [roles[0]!, roles.at(-1)!];
  return [
    { name: 'page: no session', headers: {} },
    { name: 'page: cookie without its header', headers: { cookie: operate.cookie } },
    { name: 'page: header without its cookie', headers: { [PAGE_HEADER]: operate.csrf } },
    { name: "page: another session's header", headers: { cookie: operate.cookie, [PAGE_HEADER]: view.csrf } },
    ...roles,
  ];
}

/** Every row of both servers, by each role of the page and with half a session. */
export async function pageCells(stage: Stage): Promise<Cell[]> {
  const all = targets(stage.ports, stage.to);
  return (await visitors(stage)).flatMap((visitor) =>
    all.flatMap((target) => {
      const statuses = expected(target, visitor);
      if (statuses === undefined) return [];
      const path = target.path.replace('/agents/x', `/agents/${stage.to.agent}`);
      const headers = { origin: `http://127.0.0.1:${target.port}`, 'sec-fetch-site': 'same-origin' };
      const call: Call = asProgram({ ...target, path, headers: { ...headers, ...visitor.headers } });
      return [{ caller: visitor.name, target, call, expected: statuses }];
    }),
  );
}
