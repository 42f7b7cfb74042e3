import { invalid } from '../base/index.ts';

/**
 * Targets are exact. Without `=`, tmux accepts session `ab` for `a`; without the colon it may choose a window with the name
 * of the session.
 */

/** Requires a name that tmux does not change: it would turn `.` and `:` into `_`, and expand `#`. */
export function requireSessionName(name: string): string {
  if (name === '') throw invalid('a tmux session name must not be empty');
  const bad = /[.:#\s\u0000-\u001f\u007f-\u009f]/.exec(name);
  if (bad) {
    throw invalid(`tmux session name ${JSON.stringify(name)} contains ${JSON.stringify(bad[0])}`, {
      hint: 'Use letters, digits, "-" and "_".',
    });
  }
  if (/^[=$@%!+~^{-]/.test(name)) {
    throw invalid(`tmux session name ${JSON.stringify(name)} begins with a character tmux gives a meaning`, {
      hint: 'Begin with a letter or a digit.',
    });
  }
  return name;
}

/** The target of an existing session: its name, or its id (`$3`), which renaming does not change. */
export function sessionTarget(session: string): string {
  if (/^\$\d+$/.test(session)) return `${session}:`;
  if (session === '' || /^[=$@%{]/.test(session) || /[.:\u0000-\u001f\u007f-\u009f]/.test(session))
    throw invalid(`${JSON.stringify(session)} cannot be the name of a tmux session`, {
      hint: 'use the whole name as "tmux ls" shows it, without a window or a pane',
    });
  return `=${session}:`;
}

/** `@12`, or a window of a session by its index: `=name:0`. */
export function requireWindowTarget(target: string): string {
  if (!/^(@\d+|=[^:.]+:\d+)$/.test(target)) {
    throw invalid(`${JSON.stringify(target)} is not a window: expected an id such as @3`);
  }
  return target;
}

/** `%12`. Only ids: an index may name another pane tomorrow. */
export function requirePaneId(pane: string): string {
  if (!/^%\d+$/.test(pane))
    throw invalid(`${JSON.stringify(pane)} is not a pane id: expected one such as %3`);
  return pane;
}

export function requireWindowId(window: string): string {
  if (!/^@\d+$/.test(window))
    throw invalid(`${JSON.stringify(window)} is not a window id: expected one such as @3`);
  return window;
}

export function requireVariable(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw invalid(`${JSON.stringify(name)} is not a name of an environment variable`);
  }
  return name;
}

export function requireCount(value: number, field: string): number {
  if (!Number.isSafeInteger(value) || value < 0) throw invalid(`${field} must be a whole number from 0 on`);
  return value;
}
