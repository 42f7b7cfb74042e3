import { tmuxError } from './problem.ts';

export interface TmuxVersion {
  /** As tmux prints it, without its name: `3.3a`, `next-3.7`, `master`. */
  text: string;
  major: number;
  minor: number;
}

/** The first with `attach-session -f`, `new-session -e` and per-pane flow control. */
export const OLDEST = { major: 3, minor: 2 };

/** Reads the output of `tmux -V`. A build without a number counts as the newest. */
export function readVersion(answer: string): TmuxVersion {
  const text = answer.trim().replace(/^tmux /, '');
  const found = /(?:^|next-)(\d+)\.(\d+)/.exec(text);
  const major = found ? Number(found[1]) : Number.POSITIVE_INFINITY;
  return { text, major, minor: found ? Number(found[2]) : 0 };
}

export function isAtLeast(version: TmuxVersion, major: number, minor: number): boolean {
  return version.major > major || (version.major === major && version.minor >= minor);
}

export function requireVersion(version: TmuxVersion): TmuxVersion {
  if (isAtLeast(version, OLDEST.major, OLDEST.minor)) return version;
  const wanted = `${OLDEST.major}.${OLDEST.minor}`;
  throw tmuxError(
    'unsupported',
    'too_old',
    `tmux ${version.text} is too old`,
    `Install tmux ${wanted} or newer.`,
  );
}
