import {
  clockTime,
  dayAndTime,
  duration,
  fromNow,
  headline,
  nextLook,
  reasonInWords,
} from '../../domain/index.ts';
import type { NotifierDecision, RequestView } from '../../wire/index.ts';
import { show } from '../print/table.ts';
import { STOPPED, type WhySource } from './source.ts';

export interface Explained {
  decision: NotifierDecision;
  request: RequestView | undefined;
  lookAgainUtc: string | null;
}

/** How the agent is woken, and when it is looked at next. */
export function settingLines(
  { agent, notifier, offline, fleet, standing }: WhySource,
  nowMs: number,
): string[] {
  const settings = notifier.enabled
    ? `wakes are on: ${notifier.mode}, every ${duration((notifier.interval_seconds ?? 0) * 1000)}, repeat ${notifier.repeat}`
    : offline === STOPPED
      ? 'it was stopped; "rouse launch" starts it again'
      : 'wakes are off; "rouse agents gateway mail-notifier enable" turns them on';
  const lines = [`Agent ${agent}: ${settings}.`];
  if (standing?.needs_you) lines.push(`Needs you: ${show(standing.needs_you)}.`);
  if (offline !== undefined)
    lines.push(`No live gateway (${offline}): this is from its files, and nobody checks now.`);
  if (fleet && fleet.state !== 'connected') {
    const since = `${fleet.state} since ${dayAndTime(fleet.since_utc)}`;
    lines.push(
      `Fleet: ${since}${fleet.detail ? `: ${show(fleet.detail)}` : ''}. Nothing from it arrives here.`,
    );
  }
  if (notifier.last_error) lines.push(`Last error: ${show(notifier.last_error)}`);
  if (notifier.held_back) lines.push(`Held back now: ${show(reasonInWords(notifier.held_back))}`);
  if (notifier.enabled && notifier.next_look_at_utc) {
    const next = notifier.next_look_at_utc;
    lines.push(
      `Next check: ${fromNow(next, nowMs)} (${dayAndTime(next)}), or at once for new mail, as soon as the agent is ready.`,
    );
  }
  return lines;
}

/** Newest first, by day; what was decided the same way several times in a row is told once. */
export function decisionLines(explained: readonly Explained[]): string[] {
  const lines: string[] = [];
  let day = '';
  for (const group of alike(explained)) {
    const [newest] = group;
    const { decision, request, lookAgainUtc } = newest!;
    const date = decision.poll_time_utc.slice(0, 10);
    if (date !== day) lines.push('', `${date} (UTC)`);
    day = date;
    lines.push(`${clockTime(decision.poll_time_utc).slice(0, 8)}  ${show(headline(decision, request))}`);
    for (const step of decision.chain.filter((each) => !each.startsWith('→')))
      lines.push(`          ${show(step)}`);
    lines.push(`          ${nextLook(decision, lookAgainUtc)}`);
    if (group.length > 1) {
      const since = group.at(-1)!.decision.poll_time_utc;
      const times = group.length === 2 ? 'once' : `${group.length - 1} times`;
      lines.push(`          the same ${times} before, since ${dayAndTime(since)}`);
    }
  }
  return lines;
}

function alike(explained: readonly Explained[]): Explained[][] {
  const groups: Explained[][] = [];
  for (const each of explained) {
    const last = groups.at(-1);
    if (last && isAlike(last[0]?.decision, each.decision)) last.push(each);
    else groups.push([each]);
  }
  return groups;
}

/** Decided the same way; every wake is told by itself. */
export function isAlike(one: NotifierDecision | undefined, other: NotifierDecision): boolean {
  return other.outcome !== 'enqueued' && one?.outcome === other.outcome && one.detail === other.detail;
}
