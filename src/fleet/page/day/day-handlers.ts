import { type Clock, commandLine, invalid, messageOf, utcStamp } from '../../../base/index.ts';
import type { Sql } from '../../../db/index.ts';
import {
  codesOf,
  type DayReport,
  DIGEST_SECTIONS,
  type DigestEntry,
  dayMarkdown,
  digestOf,
  hasNews,
  OPERATOR,
} from '../../../domain/index.ts';
import type { GatewayRecords } from '../../../gateway/offline.ts';
import type { Handlers } from '../../../http/index.ts';
import { gatherDay, type HostMail, type SessionContext } from '../../../session/index.ts';
import type { PAGE_ROUTES, PageDay } from '../../../wire/index.ts';
import { agentLink, mailLink, requestLink } from '../../links.ts';
import type { Doing } from '../doing.ts';
import type { PageDoor } from '../door/page-door.ts';
import type { HostView } from '../host/host-view.ts';
import type { SeenMarks } from '../host/seen-marks.ts';
import type { KeptOpen } from '../kept-open.ts';
import { ticketsOf } from './day-tickets.ts';
import { Visits } from './visits.ts';

export interface DayHandlerParts {
  door: PageDoor;
  doing: Doing;
  view: HostView;
  seen: SeenMarks;
  readers: KeptOpen<GatewayRecords>;
  mail: HostMail;
  session: SessionContext | undefined;
  sql: Sql;
  clock: Clock;
}

type DayRoutes = Pick<typeof PAGE_ROUTES, 'page.day' | 'page.visit' | 'page.visit.mark'>;

/** More of one section are not listed, only counted. */
const MAX_LISTED = 100;
const MAX_DAYS = 31;

/** What happened while a person was away, and when they were here. */
export function dayHandlers(on: DayHandlerParts): Handlers<DayRoutes> {
  const { door, doing, view, seen, clock } = on;
  const visits = new Visits(on.sql, clock);
  return {
    'page.day': async ({ context, query }) => {
      door.require(context);
      const { from, to, markdown, time_zone: zone } = query();
      const fromMs = Date.parse(from);
      const toMs = Math.min(
        clock.now().getTime(),
        to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to),
      );
      if (!(fromMs < toMs) || toMs - fromMs > MAX_DAYS * 86_400_000)
        throw invalid(`from must be before to, and at most ${MAX_DAYS} days`, { facts: { field: 'from' } });
      const report = await reportOf(on, {
        fromUtc: utcStamp(new Date(fromMs)),
        toUtc: utcStamp(new Date(toMs)),
      });
      return markdown === 'true' ? asMarkdown(report, zone) : asDigest(report);
    },
    'page.visit': async ({ context }) => {
      const { name } = door.require(context);
      const last = await visits.lastOf(name);
      return { last_utc: last?.toISOString() ?? null, now_utc: utcStamp(clock.now()) };
    },
    'page.visit.mark': async ({ context, body }) => {
      const session = door.require(context);
      const { action_id: actionId, looked_at } = await body();
      const act = { action: 'visit', target: null, actionId, asked: looked_at, repeatable: true };
      return doing.receipt(session, act, async () => {
        await visits.mark(session.name);
        if (!looked_at) return { sentence: 'Your visit is noted.' };
        const rows = (await view.agents()).filter(({ done_unseen }) => done_unseen);
        for (const { id, name } of rows) {
          await seen.mark(id);
          view.touch(name, 'timeline', id);
        }
        return { sentence: 'Everything is marked as looked at.' };
      });
    },
  };
}

async function reportOf(
  { session, mail, readers, sql, clock }: DayHandlerParts,
  span: { fromUtc: string; toUtc: string },
): Promise<DayReport> {
  if (!session)
    return {
      schema_version: 1,
      from_utc: span.fromUtc,
      to_utc: utcStamp(clock.now()),
      agents: [],
      your_mail: [],
      troubles: [],
    };
  return gatherDay(
    {
      session,
      mail,
      records: (root, read) => readers.useIfThere(root, read),
      tickets: ({ agentId }, wanted) => ticketsOf(sql, agentId, wanted),
    },
    span,
  );
}

function asDigest(report: DayReport): PageDay {
  const digest = digestOf(report);
  const counts = Object.fromEntries(
    codesOf(DIGEST_SECTIONS).map((section) => [section, 0]),
  ) as PageDay['counts'];
  const listed: DigestEntry[] = [];
  for (const each of digest) if (++counts[each.section] <= MAX_LISTED) listed.push(each);
  return {
    ...partsOf(report),
    counts,
    entries: listed.map(({ about, ...each }) => ({ ...each, href: hrefOf({ about, ...each }) })),
    quiet: report.agents.filter((agent) => !hasNews(agent)).map(({ agent_name }) => agent_name),
    markdown: null,
  };
}

function hrefOf({ about: { ticket, message, request }, agent, at_utc }: DigestEntry): string {
  if (ticket !== undefined) return requestLink(ticket);
  if (message !== undefined) return mailLink(OPERATOR.address, { ref: message });
  const at = new Date(Date.parse(at_utc) + 1000).toISOString();
  return agentLink(agent ?? '', request === undefined ? { at } : { at, ledger: request });
}

function asMarkdown(report: DayReport, zone = 'UTC'): PageDay {
  const counts = Object.fromEntries(
    codesOf(DIGEST_SECTIONS).map((section) => [section, 0]),
  ) as PageDay['counts'];
  return { ...partsOf(report), counts, entries: [], quiet: [], markdown: dayMarkdown(report, inZone(zone)) };
}

function inZone(timeZone: string): (stamp: string) => string {
  try {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    return (stamp) => format.format(new Date(stamp));
  } catch (error) {
    throw invalid(`time_zone is not known: ${messageOf(error)}`, { facts: { field: 'time_zone' } });
  }
}

const partsOf = ({ from_utc, to_utc, troubles }: DayReport) => ({
  from_utc,
  to_utc,
  troubles,
  command: commandLine`rouse day --since ${from_utc} --until ${to_utc}`,
});
