import { asRouseError, type RouseError, stableJson } from '../../base/index.ts';
import { exitCodeOf } from '../../wire/codes.ts';
import { type Command, flagKey, type Input, type Output } from '../command.ts';
import { errorText } from '../print/error-text.ts';
import { ALL, expandNames, type NamedAgent, TEAM } from './expand-names.ts';
import { errorData } from './missing.ts';

type Values = Record<string, unknown>;

interface Outcome {
  name: string;
  exitCode: number;
  result: unknown;
  error: unknown;
}

/**
 * Makes a command for one agent accept several: `ana ben`, `ana,ben`, --all, --team. Names are expanded when it runs. Each
 * agent has an outcome of its own, and a failure does not stop the others. The exit code is the worst one. With one
 * name, nothing differs from the command itself. `text`: a flag of the command that a plain word after the names is for;
 * several names then need commas.
 */
export function severalAgents(one: Command, { text }: { text?: string } = {}): Command {
  const more = {
    name: 'agents',
    names: 'agent',
    summary: 'more agents; also as ana,ben',
    optional: true,
    variadic: true,
  } as const;
  return {
    ...one,
    ...(text === undefined && { args: [more] }),
    flags: [...(one.flags ?? []), ALL, TEAM],
    run: (input) => runForEach(one, input as Input<Values>, text),
  };
}

async function runForEach(
  one: Command,
  input: Input<Values>,
  text: string | undefined,
): Promise<Output | undefined | void> {
  const { all, team, ...flags } = withText(input.flags, text);
  const { agentName } = flags;
  const words = [...(typeof agentName === 'string' ? [agentName] : []), ...input.args];
  const isOne = !all && !team && input.args.length === 0 && !words[0]?.includes(',');
  if (isOne) return one.run!({ ...input, flags });
  const agents = await expandNames(input, { words, all: all === true, team: team === true });
  if (agents.length === 1 && !all && !team)
    return one.run!({ ...input, args: [], flags: { ...flags, agentName: agents[0]!.name } });
  const stdin = once(input.stdin);
  return forAgents(input, agents, ({ name, id }, own) => {
    const which = id === undefined ? { agentName: name } : { agentName: undefined, agentId: id };
    // The team's names are those of this project.
    const worded = team ? new Set(['agentName']) : input.worded;
    return one.run!({ ...own, stdin, worded, args: [], flags: { ...flags, ...which } } as Input);
  });
}

/** With --all or --team no word names an agent, so the first one is the text. */
function withText(flags: Values, text: string | undefined): Values {
  const { all, team, agentName } = flags;
  if (text === undefined || !(all || team) || typeof agentName !== 'string') return flags;
  const key = flagKey(text);
  return flags[key] === undefined ? { ...flags, agentName: undefined, [key]: agentName } : flags;
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  return () => {
    known ??= read();
    return known;
  };
}

/** Runs `work` for one agent after the other, and reports each outcome as soon as it is known. */
export async function forAgents(
  input: Input,
  agents: readonly NamedAgent[],
  work: (agent: NamedAgent, own: Input) => Promise<Output | undefined | void>,
): Promise<Output> {
  const outcomes: Outcome[] = [];
  for (const agent of agents) {
    if (input.signal.aborted) break;
    outcomes.push(await outcomeOf(input, agent, work));
  }
  const exitCode = worstExit(outcomes.map((outcome) => outcome.exitCode));
  const data = {
    schema_version: 1,
    agents: outcomes.map(({ name, exitCode: exit_code, result, error }) => ({
      agent_name: name,
      exit_code,
      result: result ?? null,
      error: error ?? null,
    })),
  };
  if (input.style === 'json') return { data, exitCode };
  if (outcomes.length === 0) input.out('no agents\n');
  return { data: undefined, exitCode: input.signal.aborted ? 130 : exitCode };
}

async function outcomeOf(
  input: Input,
  agent: NamedAgent,
  work: (agent: NamedAgent, own: Input) => Promise<Output | undefined | void>,
): Promise<Outcome> {
  const { name } = agent;
  const isJson = input.style === 'json';
  let said = '';
  const own: Input = {
    ...input,
    // A command that reports a refusal by itself reports it for this agent.
    err: (line) => (isJson ? (said += line) : input.err(named(name, line))),
    out: (line) => (isJson ? undefined : input.out(named(name, line))),
  };
  try {
    const output = (await work(agent, own)) ?? { data: undefined };
    const { data, plain, fancy, exitCode = 0 } = output;
    if (!isJson && data !== undefined) {
      const shown = ((input.style === 'fancy' ? fancy : undefined) ?? plain ?? stableJson(data)).trimEnd();
      if (shown !== '') input.out(`${named(name, shown)}\n`);
    }
    return { name, exitCode, result: data, error: exitCode === 0 ? null : parsed(said) };
  } catch (thrown) {
    if (input.signal.aborted) throw thrown;
    const error: RouseError = asRouseError(thrown);
    if (!isJson) input.err(errorText(`${name}: ${error.message}`, error.hint));
    return { name, exitCode: exitCodeOf(error), result: null, error: errorData(error) };
  }
}

/** One line has the name in front, several lines are below it. */
function named(name: string, text: string): string {
  if (text.startsWith(`${name}:`)) return text;
  return text.trimEnd().includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim() === '' ? null : { message: text.trim() };
  }
}

/** The exit code of a line that did several things: 1 is the worst, then the highest; 0 if all went well. */
function worstExit(codes: readonly number[]): number {
  return codes.includes(1) ? 1 : Math.max(0, ...codes);
}
