import type { Standing } from '../standing.ts';

/** What agents did between two times. Texts of others have no control characters. */
export interface DayReport {
  schema_version: 1;
  from_utc: string;
  to_utc: string;
  agents: AgentDay[];
  /** Mail to the person. */
  your_mail: DayMail[];
  /** What could not be read. */
  troubles: string[];
}

export interface AgentDay {
  agent_name: string;
  tool: string;
  /** In words, as lists show it; `stopped` for an agent that does not run. */
  state: string;
  /** What a person has to do now; null if no one is needed. */
  needs_you: string | null;
  turns: DayTurn[];
  wakes: DayWake[];
  mail: DayMail[];
  /** Requests between agents and people, on the fleet server. */
  requests: DayTicket[];
  /** Changes of its state, as its gateways kept them. */
  states: DayState[];
  /** Wakes for mail that was announced before and had not changed. */
  repeated_wakes: RepeatedWakes[];
  /** There was more than is listed. */
  truncated: boolean;
}

export interface RepeatedWakes {
  /** The last of them. */
  at_utc: string;
  times: number;
  /** How many mails each announced. */
  mails: number;
}

/** One prompt and how its turn ended. */
export interface DayTurn {
  at_utc: string;
  ended_at_utc: string | null;
  /** `wake`: for mail. `typed`: in its terminal, by a person or another program. */
  by: 'prompt' | 'wake' | 'fleet' | 'typed';
  /** Null for a wake, whose text is always the same. */
  prompt: string | null;
  outcome: string;
  trouble: boolean;
  /** The tool's last answer; null if the tool does not keep it. */
  answer: string | null;
  request_id: string | null;
}

/** One wake for mail. */
export interface DayWake {
  at_utc: string;
  outcome: string;
  /** It was typed, so a turn shows the same. */
  typed: boolean;
  trouble: boolean;
  detail: string | null;
}

export interface DayMail {
  at_utc: string;
  direction: 'received' | 'sent';
  /** The other side. */
  with: string;
  subject: string;
  /** `unread`, `read`, `answered`, `archived` or `sent`. */
  state: string;
  message_ref: string;
}

export interface DayTicket {
  at_utc: string;
  request_id: string;
  direction: 'asks' | 'is_asked';
  title: string;
  status: string;
}

export interface DayState {
  at_utc: string;
  state: Standing['state'];
  words: string;
}

/** Whether anything happened, or someone is needed. */
export function hasNews({ turns, wakes, mail, requests, states, needs_you }: AgentDay): boolean {
  return [turns, wakes, mail, requests, states].some((list) => list.length > 0) || needs_you !== null;
}

/** "3 turns, 2 wakes, 4 mails received, 1 sent, 1 request" */
export function daySummary({ turns, wakes, mail, requests }: AgentDay): string {
  const sent = mail.filter(({ direction }) => direction === 'sent').length;
  const parts: [number, string][] = [
    [turns.length, 'turn'],
    [wakes.length, 'wake'],
    [mail.length - sent, 'mail'],
    [requests.length, 'request'],
  ];
  const words = parts.filter(([count]) => count > 0).map(([count, noun]) => plural(count, noun));
  if (sent > 0) words.push(`${sent} sent`);
  return words.length > 0 ? words.join(', ') : 'nothing';
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
