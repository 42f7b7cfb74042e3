import * as path from 'node:path';
import type { Context, Hono } from 'hono';
import { type Clock, type Log, messageOf } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type GatewayRecords, openGatewayRecords } from '../../gateway/offline.ts';
import { serve } from '../../http/index.ts';
import { type MailStore, openMailStore } from '../../mail/index.ts';
import { hostMail, type MailAgents, packageRoot, type SessionContext } from '../../session/index.ts';
import { gatewayFiles, PAGE_ROOT, PAGE_ROUTES } from '../../wire/index.ts';
import type { Identity } from '../identity/index.ts';
import { TICKETS_CHANNEL } from '../tickets/index.ts';
import { actionHandlers } from './agents/action-handlers.ts';
import { AgentEvents } from './agents/agent-events.ts';
import { agentHandlers } from './agents/agent-handlers.ts';
import { AgentReach, type GatewayElsewhere } from './agents/agent-reach.ts';
import { lifeHandlers } from './agents/life-handlers.ts';
import { muteHandler } from './agents/mute-handler.ts';
import { pauseHandler } from './agents/pause-handler.ts';
import { SeenStates } from './agents/seen-states.ts';
import { PageAudit } from './audit/page-audit.ts';
import { Doing } from './doing.ts';
import { PageDoor, type PageDoorOptions } from './door/page-door.ts';
import { PageSessions, type SessionTimes } from './door/page-sessions.ts';
import { sessionHandlers } from './door/session-handlers.ts';
import { PAGE_HEADERS, serveShell } from './door/shell.ts';
import { hostHandlers } from './host/host-handlers.ts';
import { HostView } from './host/host-view.ts';
import { Mutes } from './host/mutes.ts';
import { SeenMarks } from './host/seen-marks.ts';
import { KeptOpen } from './kept-open.ts';
import { mailHandlers } from './mail/mail-handlers.ts';
import { pushHandlers } from './push/push-handlers.ts';
import { type RequestHandlerParts, requestHandlers } from './requests/request-handlers.ts';
import { searchHandlers } from './search/search-handlers.ts';
import { seeingHandlers } from './seeing-handlers.ts';
import { severalHandlers } from './several-handlers.ts';

interface PageParts {
  sql: Sql;
  clock: Clock;
  log: Log;
  instanceId: string;
  /** Where this host keeps its sessions; undefined: it manages none. */
  session: SessionContext | undefined;
  callerOf: (context: Context) => Identity | undefined;
  /** Queues a notice for an agent. */
  enqueue: RequestHandlerParts['enqueue'];
  /** Gateways of agents on other hosts. */
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
  const { sql, clock, log, session } = on;
  const sessions = new PageSessions(clock, on.times);
  const audit = new PageAudit(sql, log);
  const door = doorOf(on, sessions, audit);
  const doing = new Doing(audit, clock);
  const seen = new SeenMarks(sql, clock);
  await seen.read();
  const readers = ledgerReaders(clock);
  const stores = mailStores(clock);
  const mail = await hostMail({
    session,
    openStore: (root, work) => stores.useLong(root, work),
    agents: () => mailAgents(view),
  });
  const view = new HostView({
    ...{ session, sql, clock, log, seen, readers },
    epoch: on.instanceId,
    operatorUnread: () => mail.operatorUnread(),
    onRequests: (onChange) => sql.listen(TICKETS_CHANNEL, onChange),
  });
  const reach = new AgentReach({ view, session, elsewhere: on.elsewhere, readers });
  const parts = {
    ...on,
    door,
    sessions,
    audit,
    doing,
    seen,
    view,
    mutes: new Mutes(sql, clock),
    reach,
    readers,
    mail,
    states: new SeenStates(),
    events: new AgentEvents(),
    epoch: on.instanceId,
  };
  sendHeaders(app);
  serve(app, PAGE_ROUTES, {
    ...sessionHandlers(parts),
    ...hostHandlers(parts),
    ...seeingHandlers(parts),
    ...agentHandlers(parts),
    ...actionHandlers(parts),
    ...pauseHandler(parts),
    ...muteHandler(parts),
    ...lifeHandlers(parts),
    ...mailHandlers(parts),
    ...requestHandlers(parts),
    ...pushHandlers(parts),
    ...searchHandlers(parts),
    ...severalHandlers(app, door),
  });
  serveShell(app, path.join(packageRoot(), 'dist', 'page'));
  const close = (): void => {
    view.close();
    readers.close();
    stores.close();
  };
  return { sessions, view, close };
}

function sendHeaders(app: Hono): void {
  app.use(`${PAGE_ROOT}*`, async (context, next) => {
    for (const [name, value] of Object.entries(PAGE_HEADERS)) context.header(name, value);
    await next();
  });
}

/** The ledgers of the agents of this host. */
const ledgerReaders = (clock: Clock): KeptOpen<GatewayRecords> =>
  new KeptOpen({ clock, fileOf: (root) => gatewayFiles(root).queue, open: openGatewayRecords });

const mailStores = (clock: Clock): KeptOpen<MailStore> =>
  new KeptOpen({
    clock,
    fileOf: (root) => path.join(root, 'index.sqlite'),
    open: (root) => openMailStore({ root, clock }),
  });

async function mailAgents(view: HostView): Promise<MailAgents[]> {
  await view.agents();
  const { here, roster } = view.picture;
  return [...here].flatMap(({ id, name }) => {
    const place = roster.known.get(id);
    return place ? [{ name, place }] : [];
  });
}

function doorOf({ clock, callerOf, log }: PageParts, sessions: PageSessions, audit: PageAudit): PageDoor {
  const refused: PageDoorOptions['refused'] = ({ name, role, id }, { path, needed }) => {
    const deed = { action: 'refused', target: path.slice(0, 200), detail: { needed } };
    audit.note({ name, role, sessionId: id }, deed, 'forbidden').catch((error) => {
      log.warn('a refusal could not be recorded in the audit', { error: messageOf(error) });
    });
  };
  return new PageDoor({ sessions, clock, callerOf, refused });
}
