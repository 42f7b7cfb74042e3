import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodeOfOutcome, OUTCOME_CODES } from '../../wire/index.ts';
import { type Outcome, WIRE_STATES } from './index.ts';

const page = fs.readFileSync('docs/states.md', 'utf8');

/** The cells of the rows of the table below a heading. */
function tableBelow(heading: string): string[][] {
  const [, below = ''] = page.split(`## ${heading}\n`);
  return below
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));
}

function sources(directory: string): string[] {
  return fs
    .readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => fs.readFileSync(path.join(directory, name), 'utf8'));
}

describe('docs/states.md', () => {
  it('has the table of outcomes as the code has it', () => {
    const told = tableBelow('How a request ends').map(([, outcome, state, exit]) => [
      outcome,
      state,
      Number(exit),
    ]);
    const known = Object.keys(OUTCOME_CODES) as Outcome[];
    expect(told).toEqual(known.map((outcome) => [outcome, WIRE_STATES[outcome], exitCodeOfOutcome(outcome)]));
  });

  it('tells what becomes of a request at every crash point on its way', () => {
    const names = ['src/gateway', 'src/terminal']
      .flatMap(sources)
      .flatMap((text) => [...text.matchAll(/crashPoint\(['`]([^'`]+)['`]\)/g)].map(([, name]) => name!));
    expect(names.length).toBeGreaterThan(10);
    const missing = names.filter((name) => !name.includes('$') && !page.includes(`\`${name}\``));
    expect(missing).toEqual([]);
  });
});
