import * as fs from 'node:fs';
import * as path from 'node:path';
import { turnIdProblem } from './turn-files.ts';

/** So that it is not done for every turn. */
const SLACK = 20;

/** Removes the artefacts of the oldest turns beyond `keep`. What does not look like a turn's directory is left alone. */
export function pruneTurns(root: string, keep: number, current: string): void {
  const turns = fs
    .readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== current && !turnIdProblem(entry.name))
    .map((entry) => path.join(root, entry.name));
  if (turns.length <= keep + SLACK) return;
  const byAge = turns
    .map((directory) => ({ directory, at: fs.statSync(directory).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { directory } of byAge.slice(keep)) fs.rmSync(directory, { recursive: true, force: true });
}

/** The highest `turn-NNNN` there is; 0 when there is none. */
export function highestTurn(root: string): number {
  const numbers = fs.readdirSync(root).map((name) => Number(/^turn-(\d{4,9})$/.exec(name)?.[1] ?? 0));
  return numbers.reduce((most, each) => Math.max(most, each), 0);
}
