import { duration } from '../phrases/time-words.ts';
import { OPEN_TICKETS } from '../words/ticket-statuses.ts';
import type { AgentDay, DayReport, DayTurn } from './day-report.ts';

export const DIGEST_SECTIONS = {
  waiting: 'Still waiting',
  failed: 'Failed',
  asked: 'Asked',
  unusual: 'Unusual',
  finished: 'Finished',
} as const;

export type DigestSection = keyof typeof DIGEST_SECTIONS;

/** One line of a digest, and what it is about. */
export interface DigestEntry {
  section: DigestSection;
  at_utc: string;
  /** Null for mail to the person. */
  agent: string | null;
  text: string;
  /** More of it on a second line; null if there is none. */
  more: string | null;
  /** What it opens: a request in the agent's queue, a request between agents and people, or a message. */
  about: { request?: string; ticket?: string; message?: string };
}

/** A wake that is repeated at least so often for the same mail is unusual. */
const REPEATED = 4;
/** Needing a person for longer than this is unusual. */
const LONG_NEED_MS = 30 * 60_000;
const LONG_TURN_MS = 2 * 3_600_000;
const OFTEN_GONE = 3;

/** What a person who was away wants to know, in sections; the newest first in each. */
export function digestOf(report: DayReport): DigestEntry[] {
  const entries = [
    ...report.agents.flatMap((agent) => [
      ...nowOf(agent, report),
      ...didOf(agent),
      ...unusualOf(agent, report),
    ]),
    ...report.your_mail.map(
      (mail): DigestEntry => ({
        section: 'asked',
        at_utc: mail.at_utc,
        agent: null,
        text: `${mail.with} wrote to you: ${mail.subject}`,
        more: mail.state,
        about: { message: mail.message_ref },
      }),
    ),
  ];
  return entries.sort((a, b) => Date.parse(b.at_utc) - Date.parse(a.at_utc));
}

function nowOf(
  { agent_name: agent, needs_you, states, requests }: AgentDay,
  { to_utc }: DayReport,
): DigestEntry[] {
  const isOpen = (status: string): boolean => (OPEN_TICKETS as readonly string[]).includes(status);
  return [
    ...(needs_you === null
      ? []
      : [
          entry('waiting', agent, {
            at_utc: states.at(-1)?.at_utc ?? to_utc,
            text: `needs you: ${needs_you}`,
          }),
        ]),
    ...requests
      .filter(({ status, direction }) => isOpen(status) && direction === 'asks')
      .map(({ at_utc, title, status, request_id: ticket }) =>
        entry('waiting', agent, {
          at_utc,
          text: `waits for an answer: ${title}`,
          more: status,
          about: { ticket },
        }),
      ),
  ];
}

function didOf({ agent_name: agent, turns, wakes, requests }: AgentDay): DigestEntry[] {
  return [
    ...turns.map((turn) =>
      entry(
        turn.trouble || turn.outcome === 'failed' || turn.outcome === 'interrupted' ? 'failed' : 'finished',
        agent,
        {
          at_utc: turn.ended_at_utc ?? turn.at_utc,
          text: `${turn.prompt === null ? 'handled its mail' : firstLine(turn.prompt)} (${turn.outcome})`,
          more: turn.answer === null ? null : firstLine(turn.answer),
          about: aboutTurn(turn),
        },
      ),
    ),
    ...wakes
      .filter(({ trouble, typed }) => trouble && !typed)
      .map(({ at_utc, outcome, detail }) =>
        entry('failed', agent, {
          at_utc,
          text:
            outcome === 'unconfirmed'
              ? 'may not have taken a wake for mail'
              : `was not woken for mail (${outcome})`,
          more: detail,
        }),
      ),
    ...requests
      .filter(({ direction }) => direction === 'asks')
      .map(({ at_utc, title, status, request_id: ticket }) =>
        entry('asked', agent, { at_utc, text: `asks: ${title}`, more: status, about: { ticket } }),
      ),
  ];
}

function unusualOf(agent: AgentDay, { to_utc }: DayReport): DigestEntry[] {
  const { agent_name: name, repeated_wakes, states, turns } = agent;
  const lasted = states.map(({ at_utc, state }, at) => ({
    at_utc,
    state,
    ms: Date.parse(states[at + 1]?.at_utc ?? to_utc) - Date.parse(at_utc),
  }));
  const needed = lasted.filter(({ state, ms }) => state === 'needs_you' && ms >= LONG_NEED_MS);
  const gone = states.filter(({ state }) => state === 'gone');
  return [
    ...repeated_wakes
      .filter(({ times }) => times >= REPEATED)
      .map(({ at_utc, times, mails }) =>
        entry('unusual', name, {
          at_utc,
          text: `woken ${times} times for the same ${mails === 1 ? 'mail' : `${mails} mails`}`,
        }),
      ),
    ...needed.map(({ at_utc, ms }) =>
      entry('unusual', name, { at_utc, text: `needed you for ${duration(ms)}` }),
    ),
    ...turns
      .filter(
        ({ ended_at_utc: end, at_utc }) =>
          end !== null && Date.parse(end) - Date.parse(at_utc) > LONG_TURN_MS,
      )
      .map((turn) =>
        entry('unusual', name, {
          at_utc: turn.at_utc,
          text: `one turn took ${duration(Date.parse(turn.ended_at_utc!) - Date.parse(turn.at_utc))}`,
          about: aboutTurn(turn),
        }),
      ),
    ...(gone.length >= OFTEN_GONE
      ? [
          entry('unusual', name, {
            at_utc: gone.at(-1)!.at_utc,
            text: `its tool was gone ${gone.length} times`,
          }),
        ]
      : []),
  ];
}

const aboutTurn = ({ request_id: request }: DayTurn): DigestEntry['about'] =>
  request === null ? {} : { request };

type Entry = Pick<DigestEntry, 'at_utc' | 'text'> & Partial<Pick<DigestEntry, 'more' | 'about'>>;

const entry = (
  section: DigestSection,
  agent: string,
  { more = null, about = {}, ...rest }: Entry,
): DigestEntry => ({
  ...{ section, agent, more, about },
  ...rest,
});

const MAX_LINE = 160;

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE - 1)}…` : line;
}
