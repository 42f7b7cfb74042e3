import { asRouseError } from '../../base/index.ts';
import { command, type Input, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { harmless } from '../print/terminal-text.ts';
import { AGENT_CHECKS } from './agents.ts';
import { type Check, type Finding, problem } from './check.ts';
import { MACHINE_CHECKS } from './machine.ts';
import { NOTICE_CHECKS } from './notices.ts';
import { SETTINGS_CHECKS } from './settings.ts';

const CHECKS: Check[] = [...MACHINE_CHECKS, ...SETTINGS_CHECKS, ...AGENT_CHECKS, ...NOTICE_CHECKS];

/** Longer than the timeout of anything a check asks. */
const MAX_MS = 8000;

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const findings: Finding[] = [];
  for (const looks of await Promise.all(CHECKS.map((check) => bounded(check, input))))
    findings.push(...looks);
  const repaired = input.flags.fix ? await repair(findings) : new Set<Finding>();
  const now = repaired.size > 0 ? await lookAll(input) : findings;
  const notes = [...repaired].map(({ id, detail }) => `fixed ${id}: ${detail}`);
  return {
    data: { checks: now.map(({ id, status, detail, fix }) => ({ id, status, detail, fix })), mended: notes },
    plain: [...now.map(line), ...notes, summary(now, input)].join('\n'),
    exitCode: now.some(({ status }) => status === 'problem') ? 1 : 0,
  };
}

async function lookAll(input: Input): Promise<Finding[]> {
  return (await Promise.all(CHECKS.map((check) => bounded(check, input)))).flat();
}

/** A check that does not finish in time becomes a problem and does not delay the others. */
async function bounded(check: Check, input: Input): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding[]>((resolve) => {
    const silent = problem(
      check.id,
      `no result within ${MAX_MS / 1000} seconds`,
      'find out what it waits for, then run this again',
    );
    timer = setTimeout(() => resolve([silent]), MAX_MS);
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

async function repair(findings: readonly Finding[]): Promise<Set<Finding>> {
  const repaired = new Set<Finding>();
  for (const finding of findings) {
    if (finding.status === 'ok' || !finding.repair) continue;
    await finding.repair();
    repaired.add(finding);
  }
  return repaired;
}

const WORDS = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' };

function line({ id, status, detail, fix }: Finding): string {
  const found = harmless(`${WORDS[status]} ${id.padEnd(14)} ${detail}`);
  return fix === null ? found : `${found}\n${' '.repeat(24)}→ ${harmless(fix)}`;
}

const many = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

function summary(findings: readonly Finding[], { flags }: InputOf<typeof FLAGS>): string {
  const count = (status: Finding['status']): number =>
    findings.filter((each) => each.status === status).length;
  const repairable = !flags.fix && findings.some(({ status, repair }) => status !== 'ok' && repair);
  const words = `\n${many(count('problem'), 'problem')}, ${many(count('warning'), 'warning')}, ${count('ok')} fine`;
  return repairable ? `${words}; "rouse doctor --fix" repairs what is safe to repair` : words;
}

const FLAGS = [
  { name: 'fix', summary: 'repair what is safe to repair: permissions, records of sessions that are gone' },
] as const;

const doctor = {
  ...command({
    ...FIRST_WORDS.doctor,
    description:
      'Checks everything Rouse needs, and shows for each problem the command that fixes it. Changes nothing without --fix. ' +
      'The exit code is 1 when there is a problem.',
    examples: ['rouse doctor', 'rouse doctor --fix', 'rouse doctor --json'],
    flags: FLAGS,
    run,
  }),
  despiteConfig: true,
};

export default doctor;
