import { unavailable } from '../../base/index.ts';
import { type PageScreen, refusal } from '../../wire/index.ts';
import type { ControlDependencies } from './dependencies.ts';

interface ScreenQuery {
  after?: string | undefined;
  wait_seconds: number;
}

/** `GET /v1/control/tui/screen`: the last screen; with `after`, held until it changes or the time is over. */
export async function nextScreen(
  { surface, clock }: Pick<ControlDependencies, 'surface' | 'clock'>,
  { after, wait_seconds }: ScreenQuery,
  signal: AbortSignal,
): Promise<PageScreen> {
  const { tui } = surface;
  if (!tui) throw refusal('unsupported_target', 'this agent is headless: it has no screen');
  const over = AbortSignal.any([signal, timeout(clock, wait_seconds * 1000)]);
  for (;;) {
    const seen = tui.screen();
    if (!seen) throw unavailable('the terminal is out of reach', { hint: 'look at its window' });
    const { observedAtUtc: captured_at_utc, ...picture } = seen;
    const unchanged = picture.hash === after;
    if (!unchanged) return { ...picture, captured_at_utc, unchanged };
    if (over.aborted) return { ...picture, lines: [], captured_at_utc, unchanged };
    await tui.seen.next(() => true, over).catch(() => {});
  }
}

function timeout(clock: ControlDependencies['clock'], ms: number): AbortSignal {
  const ending = new AbortController();
  if (ms <= 0) ending.abort();
  else clock.after(ms, () => ending.abort());
  return ending.signal;
}
