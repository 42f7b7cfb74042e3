import type { Admission } from './gateway-status.ts';
import { reasonRow } from './phrases/reason-text.ts';
import type { NeedKind } from './words/needs.ts';
import type { Reason } from './words/reasons.ts';
import {
  type About,
  STANDING,
  type STANDINGS,
  type StandingCode,
  type StandingRow,
} from './words/standings.ts';

/**
 * How it stands with an agent, in plain words, and what a person has to do about it: what is shown as "needs you: …" by
 * `rouse why`, `gateway status`, `tui state` and every list of agents. The words are in `words/standings.ts`.
 */
export interface Standing {
  state: (typeof STANDINGS)[number];
  /** A few words, without a full stop: `working`, `permission dialog`, `draft in its composer`. */
  words: string;
  /** What the person is to do; null while nobody is needed. Stands behind "needs you: ". */
  needs_you: string | null;
  /** The matter that people want to know of. Absent without one, and from an older gateway. */
  need?: StandingNeed;
}

export interface StandingNeed {
  kind: NeedKind;
  /** What the person is to do who sees its screen already, where that is less than `needs_you`. */
  here?: string;
  /** The same behind the agent's name, where that is shorter: `asks for permission`. */
  says?: string;
  /** The command that mends it, where one does. */
  command?: string;
}

/** One matter of an agent for which a person is needed, or of which people want to know. */
export interface AgentNeed extends StandingNeed {
  /** What it is, in a few words; of a delivery, what was to be delivered. */
  words: string;
  /** What the person is to do; null for what ends by itself, or is only to be known. */
  needs_you: string | null;
  since_utc: string | null;
  /** Of a delivery that ended badly. */
  request?: { request_id: string; detail: string };
}

export interface KnownOfAgent {
  agent?: string | null | undefined;
  /** What the tool is called: claude, codex, … */
  tool: string;
  /** The gate's reasons in its order; none: a prompt may be typed. Undefined: nobody has looked. */
  reasons: readonly Reason[] | undefined;
  request_admission?: Admission | undefined;
  /** Text in its composer is Rouse's own: it is being typed `now`, or was `left` there, not proven to be taken. */
  typing?: 'now' | 'left' | undefined;
  /** Automatic replies in a thread whose wakes are paused for them. */
  mail_loop?: number | undefined;
  /** Its gateway is not where the tool was told to find its mail tools. */
  tools_elsewhere?: boolean | undefined;
  /** What keeps its gateway from its work. */
  gateway_trouble?: GatewayTrouble | undefined;
  /** Its process was started by hand, without the mail tools that the launch gives. */
  tools_missing?: boolean | undefined;
}

/** Something that keeps a gateway from doing its work: why, as `/health` has it, and what mends it. */
export interface GatewayTrouble {
  reason: string;
  mend: string;
  /** The command that `mend` names. */
  command?: string | undefined;
}

/** What mends a place that a gateway cannot write. */
export const MEND_UNWRITABLE: Omit<GatewayTrouble, 'reason'> = {
  mend: 'make room there or make it writable, and it goes on by itself; "rouse doctor" shows the free space',
  command: 'rouse doctor',
};

interface Found {
  code: StandingCode;
  value?: string;
  /** Where the row itself cannot know it. */
  command?: string | undefined;
}

/** Pure: the same knowledge gives the same words. */
export function standingOf({ reasons, typing, tools_missing, ...known }: KnownOfAgent): Standing {
  const seen = reasons?.flatMap((each) => foundIn(each, typing));
  const found = seen ?? [];
  // While its gateway cannot work, nothing else about a living tool can be mended through it.
  const gone = found.filter(({ code }) => rowOf(code).state === 'gone');
  const asked = [...gone, ...inTrouble(known), ...found, ...askedByGateway(known)].find(
    ({ code }) => rowOf(code).todo !== undefined,
  );
  const shown = asked && rowOf(asked.code).state === 'needs_you' ? asked : (found[0] ?? asked);
  if (shown) return describeStanding(shown, known, asked);
  if (seen === undefined) return describeStanding({ code: 'not_looked_at' }, known);
  return describeStanding({ code: tools_missing ? 'idle_by_hand' : 'idle' }, known);
}

const OWN_TEXT = { now: 'being_typed', left: 'own_text_left' } as const;

function foundIn({ code, value }: Reason, typing: KnownOfAgent['typing']): Found[] {
  if (typing && code === 'draft') return [{ code: OWN_TEXT[typing] }];
  const { standing: stands } = reasonRow(code);
  const found = typeof stands === 'string' ? stands : stands(value);
  return found === 'passing' ? [] : [{ code: found, value }];
}

const rowOf = (code: StandingCode): StandingRow => STANDING[code];

/** The words of `found`; what is asked of a person may be something that came after it. */
export function describeStanding(
  found: Found,
  { agent, tool = '' }: { agent?: string | null | undefined; tool?: string },
  asked: Found | undefined = found,
): Standing {
  const { state, words } = rowOf(found.code);
  const need = needOf(rowOf(asked.code).need ? asked : found, { agent, tool });
  const todo = tellOf(rowOf(asked.code).todo, { value: asked.value ?? '', agent, tool });
  const { where } = rowOf(asked.code);
  return {
    state,
    words: tellOf(words, { value: found.value ?? '', agent, tool })!,
    needs_you: todo === undefined ? null : where ? `${todo}; ${where}` : todo,
    ...(need && { need }),
  };
}

function needOf({ code, value = '', command }: Found, on: Omit<About, 'value'>): StandingNeed | null {
  const row = rowOf(code);
  if (!row.need) return null;
  const about = { ...on, value };
  const mends = command ?? row.command?.(about);
  return {
    kind: row.need,
    ...(row.where && { here: tellOf(row.todo, about)! }),
    ...(row.says !== undefined && { says: row.says }),
    ...(mends !== undefined && { command: mends }),
  };
}

const tellOf = (words: StandingRow['todo'], about: About): string | undefined =>
  typeof words === 'function' ? words(about) : words;

type KnownOfGateway = Omit<KnownOfAgent, 'tool' | 'reasons'>;

function inTrouble({ gateway_trouble: trouble }: KnownOfGateway): Found[] {
  if (trouble === undefined) return [];
  const { reason, mend, command } = trouble;
  return [{ code: 'gateway_in_trouble', value: `its gateway is in trouble: ${reason}; ${mend}`, command }];
}

function askedByGateway({ request_admission, mail_loop, tools_elsewhere }: KnownOfGateway): Found[] {
  return [
    ...(request_admission === 'blocked_reconciliation' ? [{ code: 'undecided' as const }] : []),
    ...(mail_loop === undefined ? [] : [{ code: 'mail_loop' as const, value: String(mail_loop) }]),
    ...(tools_elsewhere ? [{ code: 'tools_elsewhere' as const }] : []),
  ];
}

/** The matter of a standing; none while nobody is needed or wants to know. */
export function needsOf({ words, needs_you, need }: Standing, since_utc: string | null): AgentNeed[] {
  return need ? [{ ...need, words, needs_you, since_utc }] : [];
}
