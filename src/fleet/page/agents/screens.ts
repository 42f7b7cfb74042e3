import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { asRouseError, type Clock, unavailable, utcStamp } from '../../../base/index.ts';
import { type SessionContext, seeTerminal } from '../../../session/index.ts';
import { CODES, type PageScreen, type PageTrouble } from '../../../wire/index.ts';
import type { Session } from '../door/page-sessions.ts';
import type { AgentReach, ReachedAgent } from './agent-reach.ts';

/** How long the gateway may wait for a new screen. */
const WAIT_SECONDS = 20;
const PAUSE_MS = 250;
/** Without a gateway no one watches the terminal: it is captured this often while someone has it open. */
const UNWATCHED_MS = 3000;

export interface ScreenParts {
  reach: AgentReach;
  session: SessionContext | undefined;
  clock: Clock;
  /** Ends the streams. */
  stopping: AbortSignal;
}

interface ScreenOptions {
  after?: string | undefined;
  wait_seconds: number;
}

/** From its gateway, which watches it; without one, captured on request. */
export async function screenOf(
  { reach, session }: ScreenParts,
  agent: ReachedAgent,
  wanted: ScreenOptions,
  signal?: AbortSignal,
): Promise<PageScreen> {
  reach.requireHere(agent);
  const gateway = await reach.gateway(agent);
  if (gateway) {
    const timeoutMs = (wanted.wait_seconds + 10) * 1000;
    return gateway.call(
      'tui.screen',
      { after: wanted.after, wait_seconds: wanted.wait_seconds },
      { timeoutMs, ...(signal && { signal }) },
    );
  }
  const seen = session && agent.facts && (await seeTerminal(session, agent.facts));
  if (!session || !seen)
    throw unavailable(`the terminal of ${agent.row.name} is gone`, { hint: 'see "rouse ls"' });
  const unchanged = seen.hash === wanted.after;
  const captured_at_utc = utcStamp(session.clock.now());
  return { ...seen, ...(unchanged && { lines: [] }), captured_at_utc, unchanged };
}

/** Streams each screen that differs from the one before, for as long as someone has it open; the page need not poll. */
export function followScreen(on: ScreenParts, context: Context, visit: Session, name: string): Response {
  return streamSSE(context, async (stream) => {
    const signal = AbortSignal.any([context.req.raw.signal, on.stopping, visit.ended.signal]);
    const say = (event: string, data: object): Promise<void> =>
      stream.writeSSE({ event, data: JSON.stringify(data) });
    let known: PageScreen | undefined;
    let trouble = '';
    while (!signal.aborted) {
      const beganMs = on.clock.monotonic();
      try {
        const wanted = known ? { after: known.hash, wait_seconds: WAIT_SECONDS } : { wait_seconds: 0 };
        const next = await screenOf(on, await on.reach.find(name), wanted, signal);
        if (next.unchanged && known && trouble === '' && isSameDialog(next, known))
          await say('same', { captured_at_utc: next.captured_at_utc });
        else await say('screen', next.unchanged && known ? { ...next, lines: known.lines } : next);
        known = next.unchanged && known ? { ...next, lines: known.lines } : next;
        trouble = '';
      } catch (error) {
        if (signal.aborted) return;
        const found = JSON.stringify(troubleOf(error));
        if (found !== trouble) await say('trouble', troubleOf(error));
        trouble = found;
      }
      const isQuick = on.clock.monotonic() - beganMs < UNWATCHED_MS;
      const isWatched = trouble === '' && !(known?.unchanged && isQuick);
      await paused(on.clock, isWatched ? PAUSE_MS : UNWATCHED_MS, signal);
    }
  });
}

const isSameDialog = (a: PageScreen, b: PageScreen): boolean => a.dialog?.hash === b.dialog?.hash;

function troubleOf(error: unknown): PageTrouble {
  const { code, message, hint } = asRouseError(error);
  return { status: CODES[code].http, code, message, hint };
}

function paused(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal.addEventListener('abort', end);
  });
}
