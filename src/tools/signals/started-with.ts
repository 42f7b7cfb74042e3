import { commandLineOf, processVariable } from '../../base/index.ts';

/** What a process was started with, as far as it matters. */
export interface Start {
  /** Words of its command line. */
  words: readonly string[];
  /** Variables of its environment; without a value, any value matches. */
  variables: Readonly<Record<string, string | undefined>>;
  /** Variables that must be set. */
  present: readonly string[];
}

/** Whether the process was started like this. If it cannot be read, it counts as such. */
export function wasStartedWith(pid: number, start: Start): boolean {
  try {
    return hasStart(pid, start);
  } catch {
    return true;
  }
}

function hasStart(pid: number, { words, variables, present }: Start): boolean {
  const line = commandLineOf(pid);
  if (line.length === 0) return true;
  const isSet = (name: string): boolean => processVariable(pid, name) !== undefined;
  return (
    words.every((word) => line.includes(word)) &&
    [...present, ...Object.keys(variables)].every(isSet) &&
    Object.entries(variables).every(
      ([name, value]) => value === undefined || processVariable(pid, name) === value,
    )
  );
}
