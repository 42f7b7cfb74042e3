import { closeSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';

const STANDARD = [0, 1, 2];

/**
 * To be called when a program starts. At its end, Node 20 puts the terminals it was started on back as they were, and
 * aborts when one of them is gone (its window was closed): the exit code is lost, and the kernel logs a crash. What is
 * no terminal any more is exchanged for nothing first.
 */
export function surviveGoneTerminal(): void {
  const terminals = STANDARD.filter((fd) => isatty(fd));
  if (terminals.length === 0) return;
  process.on('exit', () => {
    for (const fd of terminals) if (!isatty(fd)) exchange(fd);
  });
}

/** The lowest descriptor that is free is given out first. */
function exchange(fd: number): void {
  try {
    closeSync(fd);
    openSync('/dev/null', 'r+');
  } catch {
    // Closed already: then there is nothing to put back.
  }
}
