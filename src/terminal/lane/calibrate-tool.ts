import { messageOf, sleep } from '../../base/index.ts';
import {
  CALIBRATION_MARKER,
  type Calibrated,
  calibrate,
  mayCalibrate,
  readsMark,
  rowAt,
  type Screen,
} from '../../screen/index.ts';
import { type LaneContext, sameAs } from '../lane-context.ts';
import type { PaneView } from '../watch/pane-watch.ts';
import { waitUntil } from '../watch/wait-until.ts';

/** After the marker is seen, the rest of the tool's drawing. */
const DRAWN_MS = 150;

/**
 * Finds out where a tool nobody has described takes text: types a short mark, looks, erases it, and looks again. Not
 * into anything that has the shape of a dialog, not while somebody types, and no key follows a mark that did not appear
 * where the cursor was.
 */
export async function calibrateTool(on: LaneContext): Promise<Calibrated> {
  const { tracker, watch, patience, clock } = on;
  const { view, facts, foreground, people } = await tracker.look();
  if (!view || foreground.kind !== 'tool')
    return refuse(`in the foreground is ${foreground.kind}, not the tool`);
  if (facts.copy_mode || people.typing) return refuse('a person is at the keyboard');
  const allowed = mayCalibrate(view.screen);
  if (!allowed.ok) return allowed;
  try {
    await watch.tmux.sendLiteral(view.pane.id, CALIBRATION_MARKER, sameAs(view));
  } catch (error) {
    return refuse(messageOf(error));
  }
  const marks = (screen: Screen | undefined): boolean =>
    screen !== undefined && showsMark(view.screen, screen);
  const shown = await waitUntil(on, (sight) => marks(sight.view?.screen) || undefined, patience.echoMs);
  if (!shown) return refuse('the mark did not appear at the cursor');
  await sleep(clock, DRAWN_MS);
  const marked = await watch.look();
  if (!marks(marked.screen)) return refuse('the mark did not stay');
  const after = await erase(marked, on);
  if (!after) return refuse('the mark could not be erased');
  const screens = { before: view.screen, marked: marked.screen, after };
  const learned = calibrate(screens);
  // What is known of the tool's other versions says more than what a mark can show.
  return learned.ok && readsMark(tracker.detector, screens)
    ? { ok: true, detector: tracker.detector }
    : learned;
}

/** Takes the mark back, one character at a time, each seen to go. */
async function erase(marked: PaneView, on: LaneContext): Promise<Screen | undefined> {
  const { watch, patience, clock } = on;
  let last = marked;
  for (const _ of CALIBRATION_MARKER) {
    const { cursorX } = last.pane;
    try {
      await watch.tmux.sendKeyName(last.pane.id, 'BSpace', sameAs(last));
    } catch {
      return undefined;
    }
    const gone = await waitUntil(
      on,
      ({ view }) => (view && view.pane.cursorX !== cursorX ? view : undefined),
      patience.editMs,
    );
    if (!gone) return undefined;
    last = gone;
  }
  await sleep(clock, DRAWN_MS);
  return (await watch.look()).screen;
}

function showsMark(before: Screen, now: Screen): boolean {
  const { cursor } = before;
  if (!cursor) return false;
  return rowAt(now, cursor.y).slice(cursor.x, cursor.x + CALIBRATION_MARKER.length) === CALIBRATION_MARKER;
}

function refuse(because: string): Calibrated {
  return { ok: false, because };
}
