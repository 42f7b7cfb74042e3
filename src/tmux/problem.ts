import { type ErrorCode, isRouseError, RouseError } from '../base/index.ts';

/** The kinds of tmux failures, so a caller need not parse messages. */
export type TmuxProblem =
  | 'not_installed'
  | 'too_old'
  | 'no_server'
  | 'no_session'
  | 'no_window'
  | 'no_pane'
  | 'duplicate_session'
  | 'read_only_client'
  | 'refused'
  | 'timeout'
  | 'disconnected'
  | 'failed';

interface Reading {
  pattern: RegExp;
  problem: TmuxProblem;
  code: ErrorCode;
  hint?: string;
}

const READINGS: readonly Reading[] = [
  {
    pattern: /^error connecting to .*\((Permission denied|Operation not permitted)\)/,
    problem: 'failed',
    code: 'forbidden',
    hint: 'The tmux socket belongs to another user.',
  },
  {
    pattern: /^(no server running on|error connecting to|lost server|server exited)/,
    problem: 'no_server',
    code: 'not_found',
    hint: 'Start the session again; the tmux server of this socket is not running.',
  },
  {
    pattern: /^(can't find session|no such session|session not found|no sessions|no current target)/,
    problem: 'no_session',
    code: 'not_found',
  },
  {
    pattern: /^(can't find window|no such window|window not found)/,
    problem: 'no_window',
    code: 'not_found',
  },
  {
    pattern: /^(can't find pane|no such pane|target pane has exited)/,
    problem: 'no_pane',
    code: 'not_found',
  },
  { pattern: /^duplicate session/, problem: 'duplicate_session', code: 'conflict' },
  {
    pattern: /^client is read-only/,
    problem: 'read_only_client',
    code: 'not_ready',
    hint: 'A read-only client is attached and this tmux then refuses keys; detach it or send through a control client.',
  },
];

/** The error for tmux's standard error when it refused `command`. */
export function readProblem(command: string, stderr: string): RouseError {
  const text = stderr.trim();
  const reading = READINGS.find(({ pattern }) => pattern.test(text));
  const message = `tmux ${command}: ${text === '' ? 'failed without a message' : text}`;
  if (!reading) return tmuxError('internal', 'failed', message);
  return tmuxError(reading.code, reading.problem, message, reading.hint);
}

export function tmuxError(code: ErrorCode, problem: TmuxProblem, message: string, hint?: string): RouseError {
  return new RouseError(code, message, { ...(hint === undefined ? {} : { hint }), facts: { tmux: problem } });
}

export function noAnswer(command: string, timeoutMs: number): RouseError {
  const message = `tmux ${command} did not respond within ${timeoutMs} ms; it is unknown whether it took effect`;
  return tmuxError(
    'unavailable',
    'timeout',
    message,
    'Check whether the tmux server is stopped or overloaded.',
  );
}

/** The kind of failure, if the error comes from this room. */
export function tmuxProblemOf(error: unknown): TmuxProblem | undefined {
  return isRouseError(error) ? (error.facts['tmux'] as TmuxProblem | undefined) : undefined;
}
