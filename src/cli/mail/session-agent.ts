import { isRouseError } from '../../base/index.ts';
import type { Target } from '../../session/index.ts';
import { sessionContext } from '../agents/target.ts';
import type { Input } from '../command.ts';

/** The agent in whose session this runs; undefined: a person runs it. */
export async function sessionAgent(input: Input): Promise<Target | undefined> {
  const { findTarget, isInsideTmux } = await import('../../session/index.ts');
  if (!isInsideTmux(input.env)) return undefined;
  try {
    return await findTarget(sessionContext(input), { currentSession: true });
  } catch (error) {
    // A tmux session without an agent belongs to the operator.
    if (isRouseError(error)) return undefined;
    throw error;
  }
}
