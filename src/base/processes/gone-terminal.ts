import { closeSync, fstatSync, openSync } from 'node:fs';

const STANDARD = [0, 1, 2];
const NULL_DEVICE = 0x103;

/** Loads `node:tty` only if necessary, because it loads sockets and streams. */
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
 * Call at the start of a program. When Node 20 exits, it restores the terminals it was started on, and aborts if one of
 * them is gone because its window was closed: the exit code is lost, and the kernel logs a crash. So a terminal that is
 * gone is replaced by /dev/null first.
 */
export function surviveGoneTerminal(): void {
  const terminals = STANDARD.filter(isTerminal);
  if (terminals.length === 0) return;
  process.on('exit', () => {
    for (const fd of terminals) if (!process.getBuiltinModule('node:tty').isatty(fd)) replaceByNull(fd);
  });
}

/** Opening uses the lowest free descriptor, which is the one just closed. */
function replaceByNull(fd: number): void {
  try {
    closeSync(fd);
    openSync('/dev/null', 'r+');
  } catch {
    // Already closed: there is nothing to restore.
  }
}
