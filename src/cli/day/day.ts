import { notFound } from '../../base/index.ts';
import { dayMarkdown } from '../../domain/index.ts';
import type { DaySpan } from '../../session/index.ts';
import { sessionContext } from '../agents/target.ts';
import { command, type Flag, type Input, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { withHostMail } from '../inbox/my-mail.ts';
import { sinceTime } from '../input/flag-values.ts';
import { shownDate } from '../print/shown-time.ts';
import { dayText } from './print-day.ts';

const FLAGS = [
  {
    name: 'since',
    value: 'TIME',
    summary: 'from this time: 12h, 7d, a date, or an ISO-8601 time (default: 24h)',
    parse: (text: string) => sinceTime(text),
  },
  {
    name: 'until',
    value: 'TIME',
    summary: 'up to this time, written the same way (default: now)',
    parse: (text: string) => sinceTime(text),
  },
  { name: 'markdown', summary: 'as Markdown, with prompts and answers in full' },
  { name: 'full', summary: 'prompts and answers in full' },
] as const satisfies readonly Flag[];

const DAY_MS = 86_400_000;

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const { since, until, markdown, full } = input.flags;
  const toUtc = new Date(until ?? Date.now()).toISOString();
  const fromUtc = new Date(since ?? Date.parse(toUtc) - DAY_MS).toISOString();
  const names = input.args.flatMap((word) => word.split(',')).filter(Boolean);
  const report = await reportOf(input, { fromUtc, toUtc }, names);
  const unknown = names.find((name) => !report.agents.some((agent) => agent.agent_name === name));
  if (unknown !== undefined)
    throw notFound(`there is no agent "${unknown}", and none ran in that time`, {
      hint: '"rouse day" shows all that did; --since looks further back',
    });
  const time = (stamp: string): string => shownDate(stamp, input);
  const plain = markdown ? dayMarkdown(report, time) : dayText(report, input, { full: full === true });
  return { data: report, plain };
}

/** The page draws the same report. */
async function reportOf(input: Input, span: DaySpan, names: readonly string[]) {
  const { gatherDay } = await import('../../session/index.ts');
  const session = sessionContext(input);
  input.progress('reading what the agents did');
  return withHostMail(input, (mail) => gatherDay({ session, mail }, span, names));
}

export const day = command({
  ...FIRST_WORDS.day,
  description:
    'For one agent or all, also stopped ones: turns with their prompts and the last answer where the tool keeps it (Claude Code and ' +
    'codex do), wakes, mail, requests on the fleet server, states, and who needs you. Prompts ' +
    'typed in the terminal are listed if the tool records them. Reads only.',
  examples: [
    'rouse day',
    'rouse day ana --since 12h',
    'rouse day --since 2026-11-18 --until 2026-11-19 --markdown > yesterday.md',
  ],
  args: [
    {
      name: 'agents',
      names: 'agent',
      summary: 'only these agents',
      optional: true,
      variadic: true,
    },
  ],
  flags: FLAGS,
  run,
});
