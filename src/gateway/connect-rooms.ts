import type { Clock, Ending } from '../base/index.ts';
import type { GatewayLoops } from './gateway-loops.ts';
import type { GatewayParts } from './open-parts.ts';
import { type LedgerEntry, PRIORITY, type RequestQueue } from './queue/index.ts';
import { recordQueueEvents } from './queue-events.ts';

/** How much later those who look after a line learn that it has become longer. */
const LINE_PAUSE_MS = 200;

/** Who is told of what. Everything said here is a hint: whoever is told looks for itself. */
export function connectRooms(
  parts: GatewayParts,
  made: GatewayLoops,
  ending: Ending,
): { refresh: () => void } {
  const { surface, queue, slot, instances, events, log, pause, keysPause, turns } = parts;
  const { notifier, mail, remind, late, showState } = made;
  /** Whether somebody waited when they were told last. */
  let inLine = false;
  const refresh = (): void => {
    inLine = queue.depth() > 0;
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
  const moved = oncePerTick(refresh);
  const grown = onceIn(LINE_PAUSE_MS, made.on.clock, refresh);
  ending.add(grown.end);
  ending.add(queue.entries.on((entry) => (inLine && isBehindOthers(entry, queue) ? grown.tell() : moved())));
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

/** Seldom does anybody do something else because of it: what is before it waits still, and for the same. */
function isBehindOthers(entry: LedgerEntry, queue: RequestQueue): boolean {
  if (entry.stage !== 'accepted') return false;
  const { request_kind, priority, expires_at_utc } = queue.acceptedRow(entry);
  return request_kind === 'submit_prompt' && priority === PRIORITY.normal && expires_at_utc === null;
}

/** Some time after the first of those who ask. */
function onceIn(ms: number, clock: Clock, work: () => void): { tell: () => void; end: () => void } {
  let cancel: (() => void) | undefined;
  const due = (): void => {
    cancel = undefined;
    work();
  };
  return {
    tell: () => {
      cancel ??= clock.after(ms, due);
    },
    end: () => cancel?.(),
  };
}
