import type { Clock, Ending } from '../base/index.ts';
import { pauseText } from '../domain/index.ts';
import type { GatewayLoops } from './gateway-loops.ts';
import type { GatewayParts } from './open-parts.ts';
import { type LedgerEntry, PRIORITY, type RequestQueue } from './queue/index.ts';
import { recordQueueEvents } from './queue-events.ts';

/** How long after a queue grew its observers are notified. */
const QUEUE_PAUSE_MS = 200;

/** Who is notified of what. Every notification is a hint: the receiver looks for itself. */
export function connectRooms(
  parts: GatewayParts,
  made: GatewayLoops,
  ending: Ending,
): { refresh: () => void } {
  const { surface, queue, slot, hold, instances, events, log, pause, keysPause, turns } = parts;
  const { notifier, mail, remind, late, showState } = made;
  /** Whether something was queued at the last notification. */
  let wasQueued = false;
  const refresh = (): void => {
    wasQueued = queue.depth() > 0;
    showState();
    for (const loop of late.loops) loop.wake();
    late.fleet?.hint();
  };
  ending.add(recordQueueEvents(queue, events, log));
  // Before the loops are woken, so that a second look finds the pause gone.
  ending.add(
    surface.changed.on(() => {
      pause.interrupt();
      keysPause.interrupt();
    }),
  );
  for (const changed of [surface.changed, slot.changed, instances.changed])
    ending.add(changed.on(() => turns.situationChanged()));
  // One notification is enough for everything that one commit accepted.
  const refreshSoon = oncePerTick(refresh);
  const refreshLater = onceIn(QUEUE_PAUSE_MS, made.on.clock, refresh);
  ending.add(refreshLater.end);
  ending.add(
    queue.entries.on((entry) =>
      wasQueued && isBehindOthers(entry, queue) ? refreshLater.schedule() : refreshSoon(),
    ),
  );
  ending.add(slot.changed.on(refresh));
  ending.add(instances.changed.on(refresh));
  ending.add(queue.entries.on(({ stage }) => stage === 'finished' && instances.settle()));
  ending.add(surface.changed.on(refresh));
  ending.add(queue.entries.on(notifier.onLedger));
  ending.add(
    hold.changed.on(() => {
      pause.interrupt();
      keysPause.interrupt();
      turns.situationChanged();
      const paused = hold.now();
      if (paused) events.write('agent_paused', paused);
      else events.write('agent_resumed', {});
      log.info(paused ? pauseText(paused) : 'resumed');
      notifier.hint('ready');
      refresh();
    }),
  );
  ending.add(mail.changed.on(() => notifier.hint('mail')));
  ending.add(surface.changed.on(({ ready }) => ready && notifier.hint('ready')));
  ending.add(
    surface.changed.on(({ limit }) => {
      if (limit?.cut && !limit.over && slot.last?.source === 'mail') notifier.wakeWasCut();
    }),
  );
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

/** A request behind others seldom changes anything: the ones before it still wait, for the same reason. */
function isBehindOthers(entry: LedgerEntry, queue: RequestQueue): boolean {
  if (entry.stage !== 'accepted') return false;
  const { request_kind, priority, expires_at_utc } = queue.acceptedRow(entry);
  return request_kind === 'submit_prompt' && priority === PRIORITY.normal && expires_at_utc === null;
}

/** Runs once, some time after the first call. */
function onceIn(ms: number, clock: Clock, work: () => void): { schedule: () => void; end: () => void } {
  let cancel: (() => void) | undefined;
  const due = (): void => {
    cancel = undefined;
    work();
  };
  return {
    schedule: () => {
      cancel ??= clock.after(ms, due);
    },
    end: () => cancel?.(),
  };
}
