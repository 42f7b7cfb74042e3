import type { LaneContext } from '../../lane-context.ts';
import type { Sight } from '../../watch/sight.ts';

/** A fresh look, out of copy mode: where nobody is attached it was left behind; with a person attached it is theirs. */
export async function lookOutOfCopyMode({
  tracker,
  watch,
}: Pick<LaneContext, 'tracker' | 'watch'>): Promise<Sight> {
  const sight = await tracker.look();
  if (!sight.view?.pane.inMode || sight.people.attached > 0) return sight;
  await watch.tmux.leaveMode(sight.view.pane.id);
  return tracker.look();
}
