import * as os from 'node:os';
import { utcStamp } from '../../../base/index.ts';
import type { Handlers } from '../../../http/index.ts';
import type { SessionContext } from '../../../session/index.ts';
import type { PAGE_ROUTES, PageSession } from '../../../wire/index.ts';
import { PAGE_HEADER } from '../../../wire/index.ts';
import type { Actor, PageAudit } from '../audit/page-audit.ts';
import { revokePush } from '../push/push-outbox.ts';
import type { PageDoor } from './page-door.ts';
import type { PageSessions, Session } from './page-sessions.ts';

declare const ROUSE_VERSION: string | undefined;
const VERSION = typeof ROUSE_VERSION === 'string' ? ROUSE_VERSION : '0.0.0';

type SessionRoutes = Pick<
  typeof PAGE_ROUTES,
  | 'page.codes.create'
  | 'page.sessions.list'
  | 'page.revoke'
  | 'page.audit'
  | 'page.login'
  | 'page.session'
  | 'page.logout'
>;

export interface SessionHandlerParts {
  door: PageDoor;
  sessions: PageSessions;
  audit: PageAudit;
  instanceId: string;
  session: SessionContext | undefined;
}

export const actorOf = ({ name, role, id }: Session): Actor => ({ name, role, sessionId: id });

/** Codes, sessions and the audit. */
export function sessionHandlers(on: SessionHandlerParts): Handlers<SessionRoutes> {
  const { door, sessions, audit } = on;
  const keeper = (name: string): Actor => ({ name, role: 'keeper', sessionId: null });
  const viewOf = ({ id, name, role, rights }: Session, csrf: string): PageSession => ({
    session_id: id,
    name,
    role,
    rights: [...rights],
    csrf,
    idle_ends_at_utc: sessions.idleEndsAt(),
    server: { instance_id: on.instanceId, version: VERSION, host: os.hostname() },
  });
  return {
    'page.codes.create': async ({ context, body }) => {
      const who = door.requireKeeper(context);
      const { role, name, org, ttl_seconds } = await body();
      const { code, expiresAt } = sessions.mint({ name, role, org, ttlSeconds: ttl_seconds });
      await audit.note(keeper(who), { action: 'code', target: name, detail: { role, org, ttl_seconds } });
      return { code, name, role, expires_at_utc: utcStamp(expiresAt) };
    },
    'page.sessions.list': ({ context }) => {
      door.requireKeeper(context);
      return {
        sessions: sessions.list().map(({ id, name, role, beganAt, lastSeenAt, tabs }) => ({
          session_id: id,
          name,
          role,
          began_at_utc: utcStamp(beganAt),
          last_seen_at_utc: utcStamp(lastSeenAt),
          tabs,
        })),
      };
    },
    'page.revoke': async ({ context, body }) => {
      const who = door.requireKeeper(context);
      const { session_id, name } = await body();
      const devices = await revokePush(on.session, { name, sessionId: session_id });
      const ended = { ...sessions.revoke({ sessionId: session_id, name }), devices };
      await audit.note(keeper(who), { action: 'revoke', target: name ?? session_id ?? null, detail: ended });
      return ended;
    },
    'page.audit': async ({ context, query }) => {
      door.requireKeeper(context);
      const { limit, cursor } = query();
      return audit.list(limit, cursor);
    },
    'page.login': async ({ context, body }) => {
      const { session, header } = door.login(context, (await body()).code);
      await audit.note(actorOf(session), { action: 'login', target: null });
      return viewOf(session, header);
    },
    'page.session': ({ context }) => viewOf(door.require(context), context.req.header(PAGE_HEADER) ?? ''),
    'page.logout': async ({ context }) => {
      const session = door.require(context);
      sessions.end(session);
      door.forget(context);
      await audit.note(actorOf(session), { action: 'logout', target: null });
      return { ended: true as const };
    },
  };
}
