import { Emitter, type Ending } from '../base/index.ts';
import type { GatewayLoops } from './gateway-loops.ts';
import type { GatewayParts } from './open-parts.ts';
import { recordQueueEvents } from './queue-events.ts';

/** Who is told of what. Everything said here is a hint: whoever is told looks for itself. */
export function connectRooms(
  parts: GatewayParts,
  made: GatewayLoops,
  ending: Ending,
): { refresh: () => void } {
  const { surface, queue, slot, instances, events, log, pause, keysPause, turns } = parts;
  const { notifier, mail, remind, late, showState } = made;
  const refresh = (): void => {
    showState();
    for (const loop of late.loops) loop.wake();
    late.fleet?.hint();
  };
  ending.add(recordQueueEvents(queue, events, log));
  // Before the loops are woken: whoever looks again finds the way open.
  ending.add(
    surface.changed.on(() => {
      pause.interrupt();
      keysPause.interrupt();
    }),
  );
  for (const changed of [surface.changed, slot.changed, instances.changed])
    ending.add(changed.on(() => turns.anew()));
  // Of the many that one commit accepted, one word is enough.
  const moved = new Emitter<void>();
  ending.add(queue.entries.on(oncePerTick(() => moved.emit())));
  ending.add(moved.on(refresh));
  ending.add(slot.changed.on(refresh));
  ending.add(instances.changed.on(refresh));
  ending.add(queue.entries.on(({ stage }) => stage === 'finished' && instances.settle()));
  ending.add(surface.changed.on(refresh));
  ending.add(queue.entries.on(notifier.onLedger));
  ending.add(mail.changed.on(() => notifier.hint('mail')));
  ending.add(surface.changed.on(({ ready }) => ready && notifier.hint('ready')));
  ending.add(slot.changed.on((held) => held === undefined && notifier.hint('ready')));
  ending.add(instances.changed.on(() => notifier.hint('ready')));
  ending.add(
    turns.passedOn.on((waiters) => {
      if (waiters.includes('mail')) notifier.hint('ready');
      if (waiters.includes('reminders')) remind.wake();
    }),
  );
  return { refresh };
}

function oncePerTick(work: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    process.nextTick(() => {
      asked = false;
      work();
    });
  };
}
