import type { FoundEntry } from '../../mail/index.ts';
import { command, type Flag, type Input, type InputOf } from '../command.ts';
import { show } from '../print/table.ts';
import { MAILBOX, open } from './input.ts';
import { asJson } from './message.ts';

/** Prints each new message, until Ctrl-C or --once. */
async function watch(input: InputOf<typeof WATCH_FLAGS>): Promise<undefined> {
  const box = await open(input);
  const newest = (): FoundEntry[] => box.list({ limit: 200 }).entries;
  let wake = (): void => {};
  const stop = await box.watch(() => wake());
  const onAbort = (): void => wake();
  input.signal.addEventListener('abort', onAbort);
  try {
    let known = new Set(newest().map(({ ref }) => ref));
    for (let seen = false; !input.signal.aborted && !(seen && input.flags.once === true); ) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const now = newest();
      const fresh = now.filter(({ ref }) => !known.has(ref)).reverse();
      known = new Set(now.map(({ ref }) => ref));
      for (const entry of fresh) input.out(watchLine(entry, input.style));
      seen ||= fresh.length > 0;
      if (!(seen && input.flags.once === true)) await changed;
    }
  } finally {
    input.signal.removeEventListener('abort', onAbort);
    stop();
  }
  return undefined;
}

function watchLine(entry: FoundEntry, style: Input['style']): string {
  const message = { ...asJson(entry), body_preview: entry.preview };
  if (style === 'json') return `${JSON.stringify(message)}\n`;
  return `${[message.created, message.status, message.from, message.re, message.ref].map(show).join('  ')}\n`;
}

const WATCH_FLAGS = [
  MAILBOX,
  { name: 'once', summary: 'end after the first one' },
] as const satisfies readonly Flag[];

export const mailfileWatch = command({
  name: 'watch',
  summary: 'print messages as they arrive, until Ctrl-C',
  examples: ['rouse mailfile watch --mailbox .agent/inbox.md --print-json'],
  flags: WATCH_FLAGS,
  run: watch,
});
