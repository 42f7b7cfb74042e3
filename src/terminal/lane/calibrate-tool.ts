import { crashPoint, isRouseError, messageOf, sleep } from '../../base/index.ts';
import {
  CALIBRATION_MARKER,
  type Calibrated,
  calibrate,
  markChars,
  mayCalibrate,
  readsMark,
} from '../../screen/index.ts';
import { type LaneContext, sameAs } from '../lane-context.ts';
import type { PaneView } from '../watch/pane-watch.ts';
import { waitUntil } from '../watch/wait-until.ts';

/** How long the tool may go on drawing after the mark is seen. */
const DRAWN_MS = 150;

export type Trial = Calibrated & {
  /** Whether a mark was typed, or may have been. */
  typed: boolean;
};

/**
 * Finds out where a tool with an unknown screen takes text: types a short mark, looks, erases it and looks again. Types
 * nothing into anything shaped like a dialog, while a person types, or where no composer surrounds the cursor. The note
 * about the mark is stored before it is typed, and removed only after the screen shows that the mark is gone.
 */
export async function calibrateTool(context: LaneContext): Promise<Trial> {
  const { tracker, watch, clock, notes } = context;
  const { view, facts, foreground, people } = await tracker.look();
  if (!view || foreground.kind !== 'tool' || !foreground.tool)
    return refuse(`in the foreground is ${foreground.kind}, not the tool`);
  if (facts.copy_mode || people.typing) return refuse('a person is at the keyboard');
  const allowed = mayCalibrate(view.screen);
  if (!allowed.ok) return { ...allowed, typed: false };
  notes.keepTrial(foreground.tool);
  crashPoint('lane.trial_noted');
  try {
    await watch.tmux.sendLiteral(view.pane.id, CALIBRATION_MARKER, sameAs(view));
  } catch (error) {
    if (!isRefusedByTmux(error)) return leftBehind(messageOf(error), context);
    notes.forgetTrial();
    return refuse(messageOf(error));
  }
  crashPoint('lane.trial_typed');
  const marked = await seeMark(context);
  if (!marked) return leftBehind('the mark did not appear', context);
  if (!(await takeBack(marked, context))) return leftBehind('the mark could not be taken back', context);
  notes.forgetTrial();
  await sleep(clock, DRAWN_MS);
  const screens = { before: view.screen, marked: marked.screen, after: (await watch.look()).screen };
  const learned = calibrate(screens);
  // The described layouts of the tool's other versions are more exact than what a mark can show.
  const known = learned.ok && readsMark(tracker.detector, screens);
  return { ...(known ? { ok: true, detector: tracker.detector } : learned), typed: true };
}

/** Keeps the note, so that this process never gets a second mark. */
function leftBehind(because: string, { tracker }: LaneContext): Trial {
  tracker.noteTrial(true);
  return { ok: false, because, typed: true };
}

/** Waits for a screen that shows the whole mark, wherever the tool puts it. */
async function seeMark(context: LaneContext): Promise<PaneView | undefined> {
  const { watch, patience, clock } = context;
  const isShown = (view: PaneView | undefined): true | undefined =>
    (view && markChars(view.screen) === CALIBRATION_MARKER.length) || undefined;
  if (!(await waitUntil(context, ({ view }) => isShown(view), patience.echoMs))) return undefined;
  await sleep(clock, DRAWN_MS);
  const marked = await watch.look();
  return isShown(marked) && marked;
}

/**
 * Erases one character at a time and waits until each is gone. Stops at a person's key: the text before the cursor may
 * be theirs.
 */
async function takeBack(marked: PaneView, context: LaneContext): Promise<boolean> {
  const { watch, patience } = context;
  let last = marked;
  for (let left = CALIBRATION_MARKER.length - 1; left >= 0; left--) {
    try {
      await watch.tmux.sendKeyName(last.pane.id, 'BSpace', sameAs(last));
    } catch {
      return false;
    }
    const gone = await waitUntil(
      context,
      ({ view }) => (view && markChars(view.screen) === left ? view : undefined),
      patience.editMs,
    );
    if (!gone) return false;
    last = gone;
  }
  return true;
}

/** tmux saw a change and typed nothing. */
function isRefusedByTmux(error: unknown): boolean {
  return isRouseError(error) && error.facts?.['tmux'] === 'refused';
}

function refuse(because: string): Trial {
  return { ok: false, because, typed: false };
}
