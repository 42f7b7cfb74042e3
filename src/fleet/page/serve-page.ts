import * as path from 'node:path';
import type { Context, Hono } from 'hono';
import type { Clock, Log } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { serve } from '../../http/index.ts';
import { packageRoot } from '../../session/index.ts';
import { PAGE_ROOT, PAGE_ROUTES, PAGE_SHELL_ROUTES } from '../../wire/index.ts';
import type { ManagedAgents } from '../agents/index.ts';
import type { Identity } from '../identity/index.ts';
import { TICKETS_CHANNEL } from '../tickets/index.ts';
import { actionHandlers } from './agents/action-handlers.ts';
import { agentHandlers } from './agents/agent-handlers.ts';
import { AgentReach, type GatewayElsewhere } from './agents/agent-reach.ts';
import { PageAudit } from './audit/page-audit.ts';
import { Doing } from './doing.ts';
import { PageDoor } from './door/page-door.ts';
import { PageSessions, type SessionTimes } from './door/page-sessions.ts';
import { sessionHandlers } from './door/session-handlers.ts';
import { PAGE_HEADERS, shellHandlers } from './door/shell.ts';
import { hostHandlers } from './host/host-handlers.ts';
import { HostView } from './host/host-view.ts';
import { SeenMarks } from './host/seen-marks.ts';
import { HostMail } from './mail/host-mail.ts';
import { mailHandlers } from './mail/mail-handlers.ts';
import { type RequestHandlerParts, requestHandlers } from './requests/request-handlers.ts';
import { searchHandlers } from './search/search-handlers.ts';

interface PageParts {
  sql: Sql;
  clock: Clock;
  log: Log;
  instanceId: string;
  /** The agents of this host; undefined: the server manages none. */
  agents: ManagedAgents | undefined;
  callerOf: (context: Context) => Identity | undefined;
  /** Puts a notice into an agent's line. */
  enqueue: RequestHandlerParts['enqueue'];
  /** The gateways of agents of other hosts. */
  elsewhere: GatewayElsewhere;
  /** Aborted when the server stops. */
  stopping: AbortSignal;
  times?: SessionTimes | undefined;
}

export interface ServedPage {
  sessions: PageSessions;
  view: HostView;
  close(): void;
}

/** Adds the page and its API to the server. */
export async function servePage(app: Hono, on: PageParts): Promise<ServedPage> {
  const { sql, clock, log, agents } = on;
  const session = agents?.session;
  const sessions = new PageSessions(clock, on.times);
  const door = new PageDoor({ sessions, clock, callerOf: on.callerOf });
  const audit = new PageAudit(sql, log);
  const doing = new Doing(audit, clock);
  const seen = new SeenMarks(sql, clock);
  await seen.read();
  const mail = new HostMail({
    session,
    agents: async () => {
      await view.agents();
      const { here, roster } = view.picture;
      return [...here].flatMap(({ id, name }) => {
        const place = roster.known.get(id);
        return place ? [{ name, place }] : [];
      });
    },
  });
  const view = new HostView({
    session,
    sql,
    clock,
    log,
    seen,
    epoch: on.instanceId,
    operatorUnread: () => mail.operatorUnread(),
    onRequests: (hear) => sql.listen(TICKETS_CHANNEL, hear),
  });
  const reach = new AgentReach({ view, session, elsewhere: on.elsewhere });
  const parts = {
    ...on,
    session,
    door,
    sessions,
    audit,
    doing,
    seen,
    view,
    reach,
    mail,
    epoch: on.instanceId,
  };
  app.use(`${PAGE_ROOT}*`, async (context, next) => {
    for (const [name, value] of Object.entries(PAGE_HEADERS)) context.header(name, value);
    await next();
  });
  serve(app, PAGE_ROUTES, {
    ...sessionHandlers(parts),
    ...hostHandlers(parts),
    ...agentHandlers(parts),
    ...actionHandlers(parts),
    ...mailHandlers(parts),
    ...requestHandlers(parts),
    ...searchHandlers(parts),
  });
  serve(app, PAGE_SHELL_ROUTES, shellHandlers(path.join(packageRoot(), 'dist', 'page')));
  return { sessions, view, close: () => view.close() };
}
