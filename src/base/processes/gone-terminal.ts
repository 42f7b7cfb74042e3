import { closeSync, fstatSync, openSync } from 'node:fs';

const STANDARD = [0, 1, 2];
const NULL_DEVICE = 0x103;

/** Loads `node:tty` only when it must: it brings sockets and streams with it. */
export function isTerminal(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return (
      stat.isCharacterDevice() && stat.rdev !== NULL_DEVICE && process.getBuiltinModule('node:tty').isatty(fd)
    );
  } catch {
    return false;
  }
}

/**
 * To be called when a program starts. At its end, Node 20 puts the terminals it was started on back as they were, and
 * aborts when one of them is gone (its window was closed): the exit code is lost, and the kernel logs a crash. What is
 * no terminal any more is exchanged for nothing first.
 */
export function surviveGoneTerminal(): void {
  const terminals = STANDARD.filter(isTerminal);
  if (terminals.length === 0) return;
  process.on('exit', () => {
    for (const fd of terminals) if (!process.getBuiltinModule('node:tty').isatty(fd)) exchange(fd);
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
