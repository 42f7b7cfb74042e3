import type { LaneContext } from '../lane-context.ts';
import type { Baseline } from './prove-submission.ts';

/** An attempt to put a text into a composer that was empty before. */
export interface LabelledAttempt {
  text: string;
  /** Wall time of the paste. */
  sinceMs: number;
  baseline: Baseline | undefined;
}

/**
 * Whether the label alone in the composer represents our paste: it was seen before Enter, or it counts our text; and no
 * one at the agent's terminal has pressed a key since.
 */
export async function isOwnLabel(
  label: string,
  attempt: LabelledAttempt,
  context: LaneContext,
): Promise<boolean> {
  const { text, sinceMs, baseline } = attempt;
  const { pasteChip } = context.tracker.detector.input;
  if (label !== baseline?.chip && !(pasteChip && counts(pasteChip, label, text))) return false;
  const { tmux, session } = context.watch;
  const clients = await tmux.listClients(session);
  return !clients.some(
    ({ person, readOnly, activity }) => person && !readOnly && activity.getTime() > sinceMs,
  );
}

/** Whether a label of this form states the size of this text. */
export function counts(pasteChip: RegExp, label: string, text: string): boolean {
  const { lines, breaks, chars } = pasteChip.exec(label)?.groups ?? {};
  const ends = text.split('\n').length - 1;
  if (lines !== undefined) return Number(lines) === ends + 1;
  if (breaks !== undefined) return Number(breaks) === ends;
  return chars !== undefined && [text.length, [...text].length].includes(Number(chars));
}
