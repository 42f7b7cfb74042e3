import { commandLine } from '../../base/index.ts';
import {
  enableCommand,
  fromNow,
  headline,
  type LookAgain,
  NOTIFIER_OUTCOMES,
  nextLook,
  pausedWords,
  reasonInWords,
  wakePolicyWords,
} from '../../domain/index.ts';
import type { NotifierDecision, RequestView } from '../../wire/index.ts';
import { clockTime, dayAndTime, utcMark } from '../print/local-time.ts';
import { show } from '../print/table.ts';
import { STOPPED, type WhySource } from './source.ts';

export interface Explained {
  decision: NotifierDecision;
  request: RequestView | undefined;
  again: LookAgain;
}

/** How the agent is woken, and when the next check is. */
export function settingLines(source: WhySource, nowMs: number): string[] {
  const { agent, notifier, offline, fleet, standing } = source;
  const lines = [`Agent ${agent}: ${settingWords(source)}.`];
  if (standing?.paused)
    lines.push(
      `Paused since ${dayAndTime(standing.paused.since_utc)}, ${pausedWords(standing.paused, dayAndTime)}: ${commandLine`rouse resume ${agent}`}`,
    );
  if (standing?.needs_you) lines.push(`Needs you: ${show(standing.needs_you)}.`);
  if (offline !== undefined) {
    const why = offline === standing?.needs_you ? '' : ` (${offline})`;
    lines.push(`No live gateway${why}: this is from its files, and no check is running.`);
  }
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

function settingWords({ agent, notifier, offline, formerInterval }: WhySource): string {
  if (notifier.enabled) {
    const policy = wakePolicyWords(notifier);
    return offline === undefined ? `woken for ${policy}` : `not woken now; set to be woken for ${policy}`;
  }
  if (offline === STOPPED) return `it was stopped; "${commandLine`rouse launch ${agent}`}" starts it again`;
  return `wakes are off; "${enableCommand(agent, { mode: notifier.mode, interval_seconds: formerInterval })}" turns them on`;
}

/** Decisions by day, newest first. A run of equal decisions is shown once. */
export function decisionLines(explained: readonly Explained[]): string[] {
  const lines: string[] = [];
  let day = '';
  for (const group of alike(explained)) {
    const [newest] = group;
    const { decision, request, again } = newest!;
    const date = (dayAndTime(decision.poll_time_utc) ?? '').slice(0, 10);
    if (date !== day) lines.push('', `${date}${utcMark()}`);
    day = date;
    lines.push(`${clockTime(decision.poll_time_utc).slice(0, 8)}  ${show(headline(decision, request))}`);
    for (const step of decision.chain.filter((each) => !each.startsWith('→')))
      lines.push(`          ${show(step)}`);
    lines.push(`          ${nextLook(decision, again)}`);
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

/** Whether two decisions are equal. Every wake is shown by itself. */
export function isAlike(one: NotifierDecision | undefined, other: NotifierDecision): boolean {
  return (
    !NOTIFIER_OUTCOMES[other.outcome].wakes && one?.outcome === other.outcome && one.detail === other.detail
  );
}
