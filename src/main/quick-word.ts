import type { QuickWord } from '../cli/quick/quick-word.ts';
import { runLine } from '../cli/run-line.ts';
import { runInSurroundings } from './surroundings.ts';

/** Runs a plain line of this word. Undefined: it is none, and nothing has been done. */
export function runQuickWord(word: QuickWord, argv: string[]): Promise<void> | undefined {
  const match = word(argv, process.env);
  return match && runInSurroundings(argv, (outside) => runLine(outside, { parse: () => match }));
}
