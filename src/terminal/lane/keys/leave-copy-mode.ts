import type { LaneContext } from '../../lane-context.ts';
import type { Snapshot } from '../../watch/snapshot.ts';

/**
 * Takes a fresh look, out of copy mode. If no client is attached, copy mode was left behind; otherwise it belongs to
 * that person.
 */
export async function lookOutOfCopyMode({
  tracker,
  watch,
}: Pick<LaneContext, 'tracker' | 'watch'>): Promise<Snapshot> {
  const snapshot = await tracker.look();
  if (!snapshot.view?.pane.inMode || snapshot.people.attached > 0) return snapshot;
  await watch.tmux.leaveMode(snapshot.view.pane.id);
  return tracker.look();
}
