import { streamSSE } from 'hono/streaming';
import type { Clock } from '../../../base/index.ts';
import { utcStamp } from '../../../base/index.ts';
import type { Call, Handlers } from '../../../http/index.ts';
import type { PAGE_ROUTES, PageHello } from '../../../wire/index.ts';
import type { PageDoor } from '../door/page-door.ts';
import type { PageSessions } from '../door/page-sessions.ts';
import type { HostView } from './host-view.ts';
import type { Mutes } from './mutes.ts';

/** Lets both sides notice when the other is gone, or hangs. */
const HEARTBEAT_MS = 5000;
const SWEEP_MS = 15_000;

type HostRoutes = Pick<typeof PAGE_ROUTES, 'page.snapshot' | 'page.events'>;

export interface HostHandlerParts {
  door: PageDoor;
  sessions: PageSessions;
  view: HostView;
  mutes: Mutes;
  clock: Clock;
  epoch: string;
  /** Ends the streams. */
  stopping: AbortSignal;
}

export function hostHandlers(on: HostHandlerParts): Handlers<HostRoutes> {
  return {
    'page.snapshot': async ({ context }) => {
      const { name } = on.door.require(context);
      const [snapshot, muted] = await Promise.all([on.view.snapshot(), on.mutes.of(name)]);
      return { ...snapshot, muted };
    },
    'page.events': (call) => events(call, on),
  };
}

function events(
  { context, query }: Call<HostRoutes['page.events']>,
  { door, sessions, view, clock, epoch, stopping }: HostHandlerParts,
): Response {
  const session = door.require(context);
  const seen = context.req.header('last-event-id');
  const asked = seen && /^\d{1,16}$/.test(seen) ? Number(seen) : query().after;
  return streamSSE(context, async (stream) => {
    const signal = AbortSignal.any([context.req.raw.signal, stopping, session.ended.signal]);
    const leave = [sessions.attend(session), view.attend()];
    const hello = (): PageHello => ({ seq: view.seq, epoch, now_utc: utcStamp(clock.now()) });
    const say = (event: string, id: number, data: object): Promise<void> =>
      stream.writeSSE({ event, id: String(id), data: JSON.stringify(data) });
    const hint = new Hint(view, signal);
    try {
      let at = asked ?? view.seq;
      let sweptMs = clock.monotonic();
      const known = view.since(at) !== undefined;
      if (!known) at = view.seq;
      await say(known ? 'hello' : 'resync', at, hello());
      while (!signal.aborted) {
        const changes = view.since(at);
        if (changes === undefined) {
          // It reads more slowly than things change, and what it missed is no longer kept.
          at = view.seq;
          await say('resync', at, hello());
          continue;
        }
        for (const { seq, text } of changes)
          await stream.write(`event: change\nid: ${seq}\ndata: ${text}\n\n`);
        at = changes.at(-1)?.seq ?? at;
        const came = await hint.within(clock, HEARTBEAT_MS, () => view.seq > at);
        if (clock.monotonic() - sweptMs >= SWEEP_MS) {
          sweptMs = clock.monotonic();
          sessions.endOld();
        }
        if (!came && !signal.aborted) await stream.write(': alive\n\n');
      }
    } finally {
      hint.close();
      for (const each of leave) each();
    }
  });
}

/** Waits for the next change, or for the end. */
class Hint {
  #wake: (() => void) | undefined;
  readonly #stop: () => void;
  readonly #signal: AbortSignal;
  readonly #ended = (): void => this.#wake?.();

  constructor(view: HostView, signal: AbortSignal) {
    this.#signal = signal;
    this.#stop = view.changed.on(() => this.#wake?.());
    signal.addEventListener('abort', this.#ended, { once: true });
  }

  /** False if nothing came in time. */
  within(clock: Clock, ms: number, isThere: () => boolean): Promise<boolean> {
    if (isThere() || this.#signal.aborted) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (came: boolean): void => {
        cancel();
        this.#wake = undefined;
        resolve(came);
      };
      const cancel = clock.after(ms, () => end(false));
      this.#wake = () => end(true);
    });
  }

  close(): void {
    this.#stop();
    this.#signal.removeEventListener('abort', this.#ended);
  }
}
