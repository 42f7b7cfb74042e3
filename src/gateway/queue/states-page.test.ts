import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodeOfOutcome } from '../../cli/print/outcome-exit.ts';
import {
  codesOf,
  NEED_KINDS,
  NEEDS,
  REASONS,
  REQUEST_OUTCOMES,
  type ReasonCode,
  reasonRow,
  STANDING,
} from '../../domain/index.ts';

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
  it('docs/states.md has the outcomes of the code', () => {
    const shown = tableBelow('How a request ends').map(([, outcome, state, exit]) => [
      outcome,
      state,
      Number(exit),
    ]);
    expect(shown).toEqual(
      codesOf(REQUEST_OUTCOMES).map((outcome) => [
        outcome,
        REQUEST_OUTCOMES[outcome].state,
        exitCodeOfOutcome(outcome),
      ]),
    );
  });

  it('docs/states.md has every reason for which an agent is not disturbed', () => {
    const words = (code: ReasonCode): string => {
      const { words: wording, only } = reasonRow(code);
      return typeof wording === 'string' ? wording : wording(only ?? '…');
    };
    const standingOf = (code: ReasonCode): string => {
      const { standing } = reasonRow(code);
      const found = typeof standing === 'string' ? standing : standing('…');
      return found === 'passing' ? '' : STANDING[found].state;
    };
    const known = (Object.keys(REASONS) as ReasonCode[])
      .filter((code) => reasonRow(code).by !== 'gateway' && code !== 'unnamed')
      .map((code) => {
        const { name, only, typing } = reasonRow(code);
        return [`${name}='${only ?? '…'}'`, words(code), typing, standingOf(code)];
      });
    const shown = tableBelow('Why an agent is not disturbed').map((cells) => cells.slice(1, -1));
    expect(shown).toEqual(known);
  });

  it('docs/states.md has every need for a person, the most urgent first', () => {
    const shown = tableBelow('Why a person is needed').map(([, kind, label]) => [kind, label]);
    expect(shown).toEqual(NEED_KINDS.map((kind) => [kind, NEEDS[kind].label]));
  });

  it('docs/states.md has how a request ends after a crash at every crash point', () => {
    const names = ['src/gateway', 'src/terminal']
      .flatMap(sources)
      .flatMap((text) => [...text.matchAll(/crashPoint\(['`]([^'`]+)['`]\)/g)].map(([, name]) => name!));
    expect(names.length).toBeGreaterThan(10);
    const missing = names.filter((name) => !name.includes('$') && !page.includes(`\`${name}\``));
    expect(missing).toEqual([]);
  });
});
