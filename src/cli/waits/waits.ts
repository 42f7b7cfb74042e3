import { isRouseError } from '../../base/index.ts';
import { type WaitEdge, waiterName, waitsDocument, wayOut, whomName } from '../../domain/index.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { FLEET_FLAGS, fleetOf } from '../fleet/access.ts';
import { chosenRoot, ROOT_FLAG } from '../mail/mailbox-door.ts';
import { shownDate } from '../print/shown-time.ts';
import { table } from '../print/table.ts';

type Waits = ReturnType<typeof waitsDocument>;

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const { waits, problem } = await waitsAtServer(input);
  const data = waitsDocument([...waits, ...(await waitsIn(chosenRoot(input).path))], new Date());
  const note = problem === undefined ? '' : `\nnote: the fleet server was not asked: ${problem}`;
  return { data, plain: `${waitsText(data, input)}${note}` };
}

/** Of the fleet server, where one is named: requests, tasks and its mail. It may be away while local mail is not. */
async function waitsAtServer(
  input: InputOf<typeof FLAGS>,
): Promise<{ waits: readonly WaitEdge[]; problem?: string }> {
  if (!input.flags.fleetUrl && !input.settings.fleet) return { waits: [] };
  try {
    const { waits } = await (await fleetOf(input)).call('requests.waits', {});
    return { waits: waits as readonly WaitEdge[] };
  } catch (error) {
    if (input.flags.fleetUrl || !isRouseError(error)) throw error;
    return { waits: [], problem: error.message };
  }
}

/** Reports what is late by now as well. Without a mail store no one waits. */
async function waitsIn(root: string): Promise<WaitEdge[]> {
  const { openMailStore } = await import('../../mail/index.ts');
  try {
    const store = openMailStore({ root });
    try {
      await store.waits.reportOverdue();
      return await store.waits.list();
    } finally {
      await store.close();
    }
  } catch (error) {
    if (isRouseError(error) && error.code === 'not_found') return [];
    throw error;
  }
}

function waitsText({ waits, mutual, overdue }: Waits, input: InputOf<typeof FLAGS>): string {
  if (waits.length === 0) return 'No one waits for an answer.';
  const late = new Set(overdue);
  const needed = ({ by_utc: by, ref }: WaitEdge): string =>
    by === null ? '' : `${shownDate(by, input)}${late.has(ref) ? ' overdue' : ''}`;
  const rows = table(waits, [
    { title: 'waits', value: waiterName, max: 24 },
    { title: 'for', value: whomName, max: 24 },
    { title: 'since', value: ({ since_utc: since }) => shownDate(since, input) },
    { title: 'needed by', value: needed },
    { title: 'subject', value: ({ subject }) => subject, max: 60 },
  ]);
  return [rows, ...mutual.flatMap((group) => ['', ...mutualText(group, waits)])].join('\n');
}

function mutualText(group: readonly string[], waits: readonly WaitEdge[]): string[] {
  const inside = waits.filter(({ waiter, whom }) => group.includes(waiter) && group.includes(whom));
  const names = [...new Set(inside.map(waiterName))].sort();
  const out = wayOut(inside);
  return [
    `${names.join(', ')} wait for each other.`,
    `The shortest way out: ${whomName(out)} answers ${waiterName(out)}: "${out.subject}" (${out.ref})`,
  ];
}

const FLAGS = [ROOT_FLAG, ...FLEET_FLAGS] as const satisfies readonly Flag[];

export const waits = command({
  ...FIRST_WORDS.waits,
  description:
    'Shows mail that was sent with --expects-answer and has no answer yet: who waits, for whom, and by when the answer is needed. ' +
    'A wait ends when the message is answered or archived, when its sender archives it, or a week after it was needed. ' +
    'Agents that wait for each other, and late answers, are also reported by mail, once.',
  examples: ['rouse waits', 'rouse send ben "which port?" --expects-answer --by 2h'],
  flags: FLAGS,
  run,
});
