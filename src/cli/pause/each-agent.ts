import { asRouseError, commandLine, invalid, type RouseError } from '../../base/index.ts';
import { exitCodeOf } from '../../wire/codes.ts';
import { errorData } from '../agents/missing.ts';
import { sessionContext } from '../agents/target.ts';
import type { Flag, Input, InputOf, Output } from '../command.ts';

export const ALL = { name: 'all', summary: 'every agent of this host' } as const satisfies Flag;

/** One agent and its outcome. */
export interface AgentOutcome {
  name: string;
  line: string;
  data?: Record<string, unknown>;
  error?: RouseError;
}

/** The agents that the line names, or all of this host. */
export async function namesOf(
  input: InputOf<readonly [typeof ALL]>,
  verb: string,
): Promise<{ names: string[]; isAll: boolean }> {
  const { args, flags } = input;
  const isAll = flags.all === true;
  if (isAll === args.length > 0)
    throw invalid(isAll ? '--all goes without names' : `name the agents to ${verb}, or --all`, {
      hint: `"${commandLine`rouse ${verb} ana`}" or "${commandLine`rouse ${verb} --all`}"; "rouse ls" shows the agents there are`,
    });
  if (!isAll) return { names: [...new Set(args)], isAll };
  const { roster } = await import('../../session/index.ts');
  const { agents } = await roster(sessionContext(input));
  return { names: agents.map(({ called }) => called), isAll };
}

/** Runs `work` for one agent after the other. A failure does not stop the others. */
export async function outcomesOf(
  input: Input,
  names: readonly string[],
  work: (name: string) => Promise<Omit<AgentOutcome, 'name'>>,
): Promise<AgentOutcome[]> {
  const outcomes: AgentOutcome[] = [];
  for (const name of names) {
    if (input.signal.aborted) break;
    try {
      outcomes.push({ name, ...(await work(name)) });
    } catch (thrown) {
      const error = asRouseError(thrown);
      const hint = error.hint ? `\n${error.hint}` : '';
      outcomes.push({ name, line: `${name}: ${error.message}${hint}`, error });
    }
  }
  return outcomes;
}

export function outcomesOutput(outcomes: AgentOutcome[], none: string): Output {
  const codes = outcomes.flatMap(({ error }) => (error ? [exitCodeOf(error)] : []));
  return {
    data: {
      schema_version: 1,
      agents: outcomes.map(({ name, data, error }) => ({ name, ...data, error: errorData(error) })),
    },
    plain: outcomes.map(({ line }) => line).join('\n') || none,
    ...(codes.length > 0 && { exitCode: Math.max(...codes) }),
  };
}
