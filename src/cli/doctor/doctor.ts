import { asRouseError } from '../../base/index.ts';
import { command, type Input, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { harmless } from '../print/terminal-text.ts';
import { AGENT_CHECKS } from './agents.ts';
import { type Check, type Finding, problem } from './check.ts';
import { MACHINE_CHECKS } from './machine.ts';
import { SETTINGS_CHECKS } from './settings.ts';

const CHECKS: Check[] = [...MACHINE_CHECKS, ...SETTINGS_CHECKS, ...AGENT_CHECKS];

/** Longer than whatever is asked may take by itself. */
const MOST_MS = 8000;

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const findings: Finding[] = [];
  for (const looks of await Promise.all(CHECKS.map((check) => bounded(check, input))))
    findings.push(...looks);
  const mended = input.flags.fix ? await mend(findings) : new Set<Finding>();
  const now = mended.size > 0 ? await lookAll(input) : findings;
  const notes = [...mended].map(({ id, detail }) => `mended ${id}: ${detail}`);
  return {
    data: { checks: now.map(({ id, status, detail, fix }) => ({ id, status, detail, fix })), mended: notes },
    plain: [...now.map(line), ...notes, summary(now, input)].join('\n'),
    exitCode: now.some(({ status }) => status === 'problem') ? 1 : 0,
  };
}

async function lookAll(input: Input): Promise<Finding[]> {
  return (await Promise.all(CHECKS.map((check) => bounded(check, input)))).flat();
}

/** What does not answer is told, and holds up nobody. */
async function bounded(check: Check, input: Input): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding[]>((resolve) => {
    const silent = problem(
      check.id,
      `nothing was heard within ${MOST_MS / 1000} seconds`,
      'look what it waits for, and run this again',
    );
    timer = setTimeout(() => resolve([silent]), MOST_MS);
  });
  try {
    return [await Promise.race([(async () => check.look(input))(), late])].flat();
  } catch (error) {
    const { message, hint } = asRouseError(error);
    return [problem(check.id, message, hint ?? null)];
  } finally {
    clearTimeout(timer);
  }
}

async function mend(findings: readonly Finding[]): Promise<Set<Finding>> {
  const mended = new Set<Finding>();
  for (const finding of findings) {
    if (finding.status === 'ok' || !finding.mend) continue;
    await finding.mend();
    mended.add(finding);
  }
  return mended;
}

const WORDS = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' };

function line({ id, status, detail, fix }: Finding): string {
  const told = harmless(`${WORDS[status]} ${id.padEnd(14)} ${detail}`);
  return fix === null ? told : `${told}\n${' '.repeat(24)}→ ${harmless(fix)}`;
}

const many = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

function summary(findings: readonly Finding[], { flags }: InputOf<typeof FLAGS>): string {
  const count = (status: Finding['status']): number =>
    findings.filter((each) => each.status === status).length;
  const mendable = !flags.fix && findings.some(({ status, mend }) => status !== 'ok' && mend);
  const words = `\n${many(count('problem'), 'problem')}, ${many(count('warning'), 'warning')}, ${count('ok')} fine`;
  return mendable ? `${words}; "rouse doctor --fix" mends what is safe to mend` : words;
}

const FLAGS = [
  { name: 'fix', summary: 'mend what is safe to mend: permissions, records that lead nowhere' },
] as const;

const doctor = {
  ...command({
    ...FIRST_WORDS.doctor,
    description:
      'Looks at everything Rouse needs and tells of each whether it is fine, with the command that mends what is not. Nothing ' +
      'is changed without --fix. Exit code 1 when there is a problem.',
    examples: ['rouse doctor', 'rouse doctor --fix', 'rouse doctor --json'],
    flags: FLAGS,
    run,
  }),
  despiteConfig: true,
};

export default doctor;
