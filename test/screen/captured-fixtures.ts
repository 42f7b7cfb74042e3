import * as fs from 'node:fs';
import {
  type CaptureFile,
  decideReadiness,
  type Facts,
  observe,
  parseCaptureFile,
  type Readiness,
  type Screen,
} from '../../src/screen/index.ts';
import { detectorFor } from '../../src/tools/index.ts';

/** For tests: the captured screens of real tools, `<tool>-<version>-<state>[-WxH].ansi.txt`. */
export interface Fixture {
  name: string;
  tool: string;
  version: string;
  state: string;
  text: string;
  capture: CaptureFile;
  /** How a prompt pasted there ended, if that was tried: see test/agents/screens. */
  tried: string | undefined;
}

const DIRECTORY = new URL('./fixtures/', import.meta.url);
const NAME = /^([a-z]+)-(\d+\.\d+\.\d+)-(.+?)(?:-\d+x\d+)?\.ansi\.txt$/;

let loaded: Fixture[] | undefined;

export function loadFixtures(): Fixture[] {
  return (loaded ??= readFixtures());
}

function readFixtures(): Fixture[] {
  return fs
    .readdirSync(DIRECTORY)
    .filter((name) => name.endsWith('.ansi.txt'))
    .sort()
    .map((name) => {
      const [, tool = '', version = '', state = ''] = NAME.exec(name) ?? [];
      const text = fs.readFileSync(new URL(name, DIRECTORY), 'utf8');
      const [, tried] = / tried=(\w+)$/m.exec(text.slice(0, text.indexOf('\n'))) ?? [];
      return { name, tool, version, state, text, capture: parseCaptureFile(text, name), tried };
    });
}

/**
 * The expectation for each state, by the beginning of its name. `ready` must be ready; all others must not be, with one of
 * these reasons.
 */
export const EXPECTED: [RegExp, 'ready' | string[]][] = [
  [/^(ready|completed|error|interrupted|permission-denied)/, 'ready'],
  [/^busy/, ['busy_turn']],
  [/^limit/, ['usage_limit']],
  [/^logged-out/, ['logged_out']],
  [/^typed/, ['draft']],
  [/^(slash|at)-menu/, ['draft', 'menu', 'unknown_screen', 'dialog']],
  [/^menu/, ['menu', 'dialog', 'draft']],
  [/^field/, ['dialog']],
  [/^(permission|question|trust|apikey)/, ['dialog']],
  [/^dialog/, ['dialog', 'unknown_screen']],
  [/^bash-mode/, ['shell_mode', 'draft']],
  [/^exit-armed/, ['exit_armed']],
  [/^starting/, ['unknown_screen', 'busy_turn']],
  [/^(exited|view|search)/, ['unknown_screen', 'dialog', 'menu']],
];

export function expectedOf({ state, name }: Fixture): 'ready' | string[] {
  const found = EXPECTED.find(([pattern]) => pattern.test(state));
  if (!found) throw new Error(`${name}: no expectation for state ${state}`);
  return found[1];
}

export function judge(
  fixture: Fixture,
  screen: Screen = fixture.capture.screen,
  hostname?: string,
): { facts: Facts; gate: Readiness } {
  const { tool, version } = fixture;
  const facts = observe({
    screen,
    detector: detectorFor(tool, { version }),
    process: { foreground: 'tool', version, ...(hostname === undefined ? {} : { hostname }) },
  });
  return { facts, gate: decideReadiness(facts, { stable: true }) };
}

export type Verdict = 'right' | 'deaf' | 'false_ready' | 'wrong_reason';

/** The gate's result for a fixture, compared with the expectation. */
export function verdictOn(fixture: Fixture): Verdict {
  const expected = expectedOf(fixture);
  const { gate } = judge(fixture);
  if (expected === 'ready') return gate.ready ? 'right' : 'deaf';
  if (gate.ready) return 'false_ready';
  return gate.reasons.some(({ code }) => expected.includes(code)) ? 'right' : 'wrong_reason';
}
