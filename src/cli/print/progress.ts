import type { PrintStyle } from '../command.ts';

export interface Progress {
  say: (text: string) => void;
  stop: () => void;
}

/** Prints on stderr what the command waits for, once that has taken a second. Quick commands print nothing. */
export function createProgress(
  stderr: { write: (text: string) => void; isTTY: boolean },
  style: PrintStyle,
): Progress {
  if (style === 'json') return { say() {}, stop() {} };
  let current = '';
  let shown = false;
  let timer: NodeJS.Timeout | undefined;
  const show = (): void => {
    stderr.write(stderr.isTTY ? `\r\u001b[K${current}…` : `${current}…\n`);
    shown = true;
  };
  return {
    say(text) {
      current = text;
      if (shown) show();
      else timer ??= setTimeout(show, 1000).unref();
    },
    stop() {
      clearTimeout(timer);
      if (shown && stderr.isTTY) stderr.write('\r\u001b[K');
    },
  };
}
