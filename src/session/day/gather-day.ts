import { messageOf } from '../../base/index.ts';
import {
  type AgentDay,
  cleanLine,
  type DayMail,
  type DayReport,
  type DayTicket,
  OPERATOR,
} from '../../domain/index.ts';
import type { HostMail } from '../host-mail.ts';
import { manifests } from '../live-sessions.ts';
import { type ManifestFacts, tryManifestFacts } from '../records/manifest-facts.ts';
import { type Roster, type RosterAgent, roster } from '../roster.ts';
import type { SessionContext } from '../session-context.ts';
import { inBoxes, mailBetween } from './day-mail.ts';
import type { DaySpan } from './day-span.ts';
import { sessionTickets } from './day-tickets.ts';
import { queueDay, type ReadRecords, readOnce, wroteSince } from './queue-day.ts';
import { withKeptTurns } from './tool-turns.ts';

export interface DayParts {
  session: SessionContext;
  mail: HostMail;
  /** Requests of a session on the fleet server, in any order. Default: as the agent itself sees them there. */
  tickets?: ((session: ManifestFacts, span: DaySpan) => Promise<DayTicket[]>) | undefined;
  /** Default: the records are opened for this report. */
  records?: ReadRecords | undefined;
}

/** One agent: its sessions, the newest first, and how it is now, if it is not stopped. */
interface KnownAgent {
  name: string;
  sessions: ManifestFacts[];
  now: RosterAgent | undefined;
}

const MAX_TROUBLE = 300;

/**
 * What agents did: from the files of their sessions, stopped ones too, the mailboxes of the host, the records of the
 * tools, and the fleet server. Reads only. Without names: every agent. A source that cannot be read is named in
 * `troubles`; it does not hide the others.
 */
export async function gatherDay(
  parts: DayParts,
  span: DaySpan,
  names: readonly string[] = [],
): Promise<DayReport> {
  const troubles: string[] = [];
  const trying = async <T>(what: string, work: () => Promise<T> | T): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      troubles.push(cleanLine(`${what}: ${messageOf(error)}`, MAX_TROUBLE));
      return undefined;
    }
  };
  const known = knownAgents(parts.session, await roster(parts.session), span);
  const wanted = names.length === 0 ? known : known.filter(({ name }) => names.includes(name));
  const agents: AgentDay[] = [];
  for (const agent of wanted) agents.push(await agentDay(parts, span, { agent, trying }));
  const yours = names.length > 0 ? [] : await trying('your mail', () => operatorMail(parts, span));
  return {
    schema_version: 1,
    from_utc: span.fromUtc,
    to_utc: span.toUtc,
    agents,
    your_mail: yours ?? [],
    troubles,
  };
}

/** Every agent that has a session here, and that is not over since before the span. */
function knownAgents({ settings }: SessionContext, { agents }: Roster, { fromUtc }: DaySpan): KnownAgent[] {
  const all = new Map<string, KnownAgent>();
  for (const now of agents) all.set(now.name, { name: now.name, sessions: [], now });
  const facts = manifests(settings.runtimeDir)
    .map((file) => tryManifestFacts(file))
    .filter((each) => each !== undefined)
    .sort((a, b) => beganAt(b).localeCompare(beganAt(a)));
  for (const session of facts) {
    const name = session.agentName;
    const agent = all.get(name) ?? { name, sessions: [], now: undefined };
    agent.sessions.push(session);
    all.set(name, agent);
  }
  return [...all.values()]
    .filter(({ now, sessions }) => now !== undefined || sessions.some((each) => wroteSince(each, fromUtc)))
    .sort((a, b) => a.name.localeCompare(b.name));
}

const beganAt = ({ document }: ManifestFacts): string => String(document['created_at_utc'] ?? '');

type Trying = <T>(what: string, work: () => Promise<T> | T) => Promise<T | undefined>;

async function agentDay(
  parts: DayParts,
  span: DaySpan,
  { agent, trying }: { agent: KnownAgent; trying: Trying },
): Promise<AgentDay> {
  const { name, sessions, now } = agent;
  const day: AgentDay = {
    agent_name: name,
    tool: now?.tool ?? sessions[0]?.tool ?? 'unknown',
    state: now ? cleanLine(now.reason, MAX_TROUBLE) : 'stopped',
    needs_you: now?.needs_you == null ? null : cleanLine(now.needs_you, MAX_TROUBLE),
    ...{ turns: [], wakes: [], mail: [], requests: [], states: [], repeated_wakes: [], truncated: false },
  };
  for (const session of sessions.filter((each) => wroteSince(each, span.fromUtc))) {
    const queue = await trying(`the queue of ${name}`, () =>
      queueDay(session, span, parts.records ?? readOnce),
    );
    const turns = queue?.turns ?? [];
    const more = await trying(`the records of ${session.tool} for ${name}`, () =>
      withKeptTurns(turns, session, { span, env: parts.session.env }),
    );
    day.turns.push(...(more ?? turns.map(({ turn }) => turn)));
    day.wakes.push(...(queue?.wakes ?? []));
    day.states.push(...(queue?.states ?? []));
    day.repeated_wakes.push(...(queue?.repeated ?? []));
    day.truncated ||= queue?.truncated ?? false;
  }
  const mine = sessions[0];
  if (mine) {
    const mail = await trying(`the mail of ${name}`, () => mailBetween(parts.mail, mine, span));
    day.mail.push(...(mail?.mail ?? []));
    day.truncated ||= mail?.truncated ?? false;
    const asked = await trying(`the requests of ${name}`, () =>
      (parts.tickets ?? sessionTickets)(mine, span),
    );
    day.requests.push(...(asked ?? []));
  }
  for (const list of [day.turns, day.wakes, day.mail, day.requests, day.states])
    (list as { at_utc: string }[]).sort((a, b) => Date.parse(a.at_utc) - Date.parse(b.at_utc));
  return day;
}

async function operatorMail({ mail }: DayParts, span: DaySpan): Promise<DayMail[]> {
  const found = await mail.withStore((store) => inBoxes(store.mailbox(OPERATOR.address), span));
  return (found?.mail ?? []).filter(({ direction }) => direction === 'received');
}
