import { invalid } from '../base/index.ts';
import { requireVariable, sessionTarget } from './names.ts';
import { tmuxProblemOf } from './problem.ts';
import type { Runner, RunOptions } from './runner.ts';

export type EnvironmentValue =
  | { state: 'set'; value: string }
  /** Marked so that new processes do not inherit it from the server. */
  | { state: 'removed' }
  | { state: 'absent' };

/** `secret` keeps the value out of the process list. Whoever reaches the tmux socket can read it all the same. */
export async function setEnvironment(
  runner: Runner,
  session: string,
  variable: { name: string; value: string },
  options: Pick<RunOptions, 'secret'> = {},
): Promise<void> {
  const name = requireVariable(variable.name);
  // tmux 3.4 and newer print other control characters as escapes, so that they could not be read back.
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(variable.value)) {
    throw invalid(`the value of ${name} contains a control character`);
  }
  await runner.run([['set-environment', '-t', sessionTarget(session), '--', name, variable.value]], options);
}

/** Forgets the variable; new processes inherit the server's value, if it has one. */
export async function unsetEnvironment(runner: Runner, session: string, name: string): Promise<void> {
  await runner.run([['set-environment', '-t', sessionTarget(session), '-u', '--', requireVariable(name)]]);
}

/** Hides the variable from new processes of the session. */
export async function removeEnvironment(runner: Runner, session: string, name: string): Promise<void> {
  await runner.run([['set-environment', '-t', sessionTarget(session), '-r', '--', requireVariable(name)]]);
}

export async function showEnvironment(
  runner: Runner,
  session: string,
  name: string,
): Promise<EnvironmentValue> {
  try {
    const output = await runner.run([
      ['show-environment', '-t', sessionTarget(session), '--', requireVariable(name)],
    ]);
    return output === `-${name}`
      ? { state: 'removed' }
      : { state: 'set', value: output.slice(name.length + 1) };
  } catch (error) {
    if (tmuxProblemOf(error) === 'failed' && /unknown variable/.test(String(error)))
      return { state: 'absent' };
    throw error;
  }
}
