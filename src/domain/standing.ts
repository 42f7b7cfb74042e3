import type { AgentPause } from './agent-pause.ts';
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
 * The state of an agent in plain words, and what a person has to do about it. `rouse why`, `gateway status`, `tui state`
 * and every list of agents show it as "needs you: …". The words are in `words/standings.ts`.
 */
export interface Standing {
  state: (typeof STANDINGS)[number];
  /** A few words, without a full stop: `working`, `permission dialog`, `draft in its composer`. */
  words: string;
  /** What the person has to do, shown after "needs you: "; null while no one is needed. */
  needs_you: string | null;
  /** What the person is needed for. Absent if nothing, and from an older gateway. */
  need?: StandingNeed;
  /** A person has paused the agent: nothing is typed into it without a person asking. Absent if not. */
  paused?: AgentPause;
}

export interface StandingNeed {
  kind: NeedKind;
  /** What to do for a person who already sees its screen, if that is shorter than `needs_you`. */
  here?: string;
  /** The same after the agent's name, if that is shorter: `asks for permission`. */
  says?: string;
  /** The command that fixes it, if there is one. */
  command?: string;
}

/** Something that an agent needs a person for, or that people want to know. */
export interface AgentNeed extends StandingNeed {
  /** What it is, in a few words. For a delivery: what was to be delivered. */
  words: string;
  /** What the person has to do; null if it ends by itself, or is only for information. */
  needs_you: string | null;
  since_utc: string | null;
  /** For a delivery that ended badly. */
  request?: { request_id: string; detail: string };
}

export interface KnownOfAgent {
  agent?: string | null | undefined;
  /** The tool: claude, codex, … */
  tool: string;
  /** The gate's reasons in their order; empty: a prompt may be typed. Undefined: not looked at yet. */
  reasons: readonly Reason[] | undefined;
  request_admission?: Admission | undefined;
  /** The text in its composer is Rouse's own: being typed `now`, or `left` there without proof that the tool took it. */
  typing?: 'now' | 'left' | undefined;
  /** Automatic replies in a thread whose wakes are paused because of them. */
  mail_loop?: number | undefined;
  /** Its gateway is not where the tool expects its mail tools. */
  tools_elsewhere?: boolean | undefined;
  /** Why its gateway cannot work. */
  gateway_trouble?: GatewayTrouble | undefined;
  /** Its process was started by hand, without the mail tools that a launch adds. */
  tools_missing?: boolean | undefined;
  /** A person's pause of the agent. */
  paused?: AgentPause | undefined;
}

/** Why a gateway cannot work, as `/health` reports it, and how to fix it. */
export interface GatewayTrouble {
  reason: string;
  fix: string;
  /** The command that `fix` names. */
  command?: string | undefined;
}

/** How to fix a place that a gateway cannot write. */
export const FIX_UNWRITABLE: Omit<GatewayTrouble, 'reason'> = {
  fix: 'make room there or make it writable, and it goes on by itself; "rouse doctor" shows the free space',
  command: 'rouse doctor',
};

interface StandingCause {
  code: StandingCode;
  value?: string;
  /** Set if the row itself cannot know it. */
  command?: string | undefined;
}

/** Pure: the same input gives the same words. */
export function standingOf({ paused, ...known }: KnownOfAgent): Standing {
  return { ...standingUnpaused(known), ...(paused && { paused }) };
}

function standingUnpaused({
  reasons,
  typing,
  tools_missing,
  ...known
}: Omit<KnownOfAgent, 'paused'>): Standing {
  const seen = reasons?.flatMap((each) => foundIn(each, typing));
  const found = seen ?? [];
  // While its gateway cannot work, nothing else about a living tool can be fixed through it.
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

function foundIn({ code, value }: Reason, typing: KnownOfAgent['typing']): StandingCause[] {
  if (typing && code === 'draft') return [{ code: OWN_TEXT[typing] }];
  const { standing } = reasonRow(code);
  const found = typeof standing === 'string' ? standing : standing(value);
  return found === 'passing' ? [] : [{ code: found, value }];
}

const rowOf = (code: StandingCode): StandingRow => STANDING[code];

/** Describes `found`. What a person has to do may come from another finding, `asked`. */
export function describeStanding(
  found: StandingCause,
  { agent, tool = '' }: { agent?: string | null | undefined; tool?: string },
  asked: StandingCause | undefined = found,
): Standing {
  const { state, words } = rowOf(found.code);
  const need = needOf(rowOf(asked.code).need ? asked : found, { agent, tool });
  const about = { value: asked.value ?? '', agent, tool };
  const todo = textOf(rowOf(asked.code).todo, about);
  const where = textOf(rowOf(asked.code).where, about);
  return {
    state,
    words: textOf(words, { value: found.value ?? '', agent, tool })!,
    needs_you: todo === undefined ? null : where ? `${todo}; ${where}` : todo,
    ...(need && { need }),
  };
}

function needOf({ code, value = '', command }: StandingCause, on: Omit<About, 'value'>): StandingNeed | null {
  const row = rowOf(code);
  if (!row.need) return null;
  const about = { ...on, value };
  const fix = command ?? row.command?.(about);
  return {
    kind: row.need,
    ...(row.where && { here: textOf(row.todo, about)! }),
    ...(row.says !== undefined && { says: row.says }),
    ...(fix !== undefined && { command: fix }),
  };
}

const textOf = (words: StandingRow['todo'], about: About): string | undefined =>
  typeof words === 'function' ? words(about) : words;

type KnownOfGateway = Omit<KnownOfAgent, 'tool' | 'reasons' | 'paused'>;

function inTrouble({ gateway_trouble: trouble }: KnownOfGateway): StandingCause[] {
  if (trouble === undefined) return [];
  const { reason, fix, command } = trouble;
  return [{ code: 'gateway_in_trouble', value: `its gateway is in trouble: ${reason}; ${fix}`, command }];
}

function askedByGateway({ request_admission, mail_loop, tools_elsewhere }: KnownOfGateway): StandingCause[] {
  return [
    ...(request_admission === 'blocked_reconciliation' ? [{ code: 'undecided' as const }] : []),
    ...(mail_loop === undefined ? [] : [{ code: 'mail_loop' as const, value: String(mail_loop) }]),
    ...(tools_elsewhere ? [{ code: 'tools_elsewhere' as const }] : []),
  ];
}

/** Returns the need in a standing; empty if no one is needed or wants to know. */
export function needsOf({ words, needs_you, need }: Standing, since_utc: string | null): AgentNeed[] {
  return need ? [{ ...need, words, needs_you, since_utc }] : [];
}
