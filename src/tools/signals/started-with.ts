import { commandLineOf, processVariable } from '../../base/index.ts';

/** What a process was started with, among other things. */
export interface Start {
  /** Each is a word of its command line. */
  words: readonly string[];
  /** Each has this value in its environment; any, where none is known. */
  variables: Readonly<Record<string, string | undefined>>;
  /** Each is set. */
  present: readonly string[];
}

/** Whether the process was started so. One that cannot be looked at is taken to be. */
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
