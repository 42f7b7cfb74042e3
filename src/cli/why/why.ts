import { invalid, isRouseError } from '../../base/index.ts';
import type { NotifierDecision } from '../../wire/index.ts';
import { GATEWAY_TARGET_FLAGS } from '../agents/target.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { notBlank, utcTime, wholeNumber } from '../input/flag-values.ts';
import { dayAndTime, isUtcShown } from '../print/local-time.ts';
import { timesInText } from '../print/times-in-text.ts';
import { choose } from './choose.ts';
import { messageFacts, messageLines, partIn } from './message.ts';
import { whyNotice } from './notice.ts';
import { decisionLines, type Explained, settingLines } from './print.ts';
import { reminderLines, whyReminder } from './reminders.ts';
import { whyRequest } from './request.ts';
import { type WhySource, whySource } from './source.ts';

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  if (input.flags.notice) return whyNotice(input, input.flags);
  const source = await whySource(input);
  try {
    const { request, reminderId } = input.flags;
    if (request !== undefined) return await whyRequest(request, source);
    if (reminderId !== undefined) return whyReminder(reminderId, source, Date.now());
    return await whyWoken(input, source);
  } finally {
    source.close();
  }
}

async function whyWoken(input: InputOf<typeof FLAGS>, source: WhySource): Promise<Output> {
  const { flags } = input;
  const ref = flags.messageRef;
  const message = ref === undefined ? undefined : await messageFacts(input, source, ref);
  const at = flags.at;
  const chosen = await choose(source, {
    limit: flags.limit,
    at,
    // A run that is shown once counts once; JSON and a replay get every row.
    folded: input.style !== 'json' && !flags.replay,
    matches: message === undefined ? () => true : (decision) => partIn(decision, message) !== undefined,
  });
  const { replayDecision } = await import('../../gateway/offline.ts');
  const replays = flags.replay ? chosen.map(replayDecision).filter((each) => each !== undefined) : undefined;
  const different = replays?.filter((each) => !each.same) ?? [];
  const explained = await Promise.all(chosen.map((decision) => explain(decision, source)));
  return {
    data: {
      schema_version: 1,
      agent_name: source.agent,
      gateway: source.offline === undefined ? 'live' : 'offline',
      notifier: source.notifier,
      standing: source.standing ?? null,
      ...(message ? { message } : { reminders: [...source.reminders.live, ...source.reminders.kept] }),
      decisions: explained.map(({ decision, request, again }) => ({
        ...decision,
        ...(message && { names_message: partIn(decision, message) === 'named' }),
        look_again_utc: again.look_again_utc,
        request: request ?? null,
      })),
      ...(replays && { replay: { run: replays.length, different } }),
    },
    plain: [
      ...settingLines(source, Date.now()).map((line) => timesInText(line)),
      ...(message
        ? messageLines(message, chosen)
        : at === undefined
          ? reminderLines(source, Date.now())
          : []),
      ...(explained.length > 0
        ? decisionLines(explained).map((line) => timesInText(line))
        : ['', nothingFound(source, ref, at)]),
      ...(replays ? ['', replayLine(replays.length, different, chosen.length)] : []),
    ].join('\n'),
    exitCode: different.length > 0 ? 1 : 0,
  };
}

async function explain(decision: NotifierDecision, source: WhySource): Promise<Explained> {
  const { lookAgainOf } = await import('../../gateway/offline.ts');
  const id = decision.enqueued_request_id;
  const request = id === null ? undefined : await source.request(id).catch(undefinedIfMissing);
  return { decision, request, again: lookAgainOf(decision) };
}

/** A request may be older than the records that are kept. */
function undefinedIfMissing(error: unknown): undefined {
  if (!isRouseError(error) || error.code !== 'not_found') throw error;
}

function nothingFound(
  { notifier, lost }: WhySource,
  ref: string | undefined,
  at: string | undefined,
): string {
  if (lost !== undefined) return 'No decisions: they were in the queue file that is lost.';
  if (ref !== undefined) {
    return 'None of the decisions still kept is about this message: it arrived while no gateway ran, it was handled before the next check, or that check was too long ago.';
  }
  if (at !== undefined) return `No decision up to ${dayAndTime(at)} is still kept.`;
  return notifier.enabled
    ? 'No decisions yet: no check has been due.'
    : 'No decisions: the mail of this agent is not checked.';
}

function replayLine(run: number, different: { audit_id: number }[], of: number): string {
  const without = of - run > 0 ? ` (${of - run} without facts: the mailbox could not be read)` : '';
  const made =
    run === 1
      ? '1 decision made again from its facts, it is'
      : `${run} decisions made again from their facts, all`;
  return different.length === 0
    ? `Replay: ${made} the same${without}.`
    : `Replay: ${different.length} of ${run} decisions come out differently${without}: ${different.map((each) => each.audit_id).join(', ')}. Use --print-json to compare.`;
}

/** A time as this command prints it: a time of day is today, or yesterday if it has not come yet. Local, unless UTC is shown. */
function momentOf(text: string): string {
  const zone = isUtcShown() ? 'Z' : '';
  if (!/^\d\d:\d\d(:\d\d)?$/.test(text)) return new Date(withZone(utcTime(text), zone)).toISOString();
  const today = (dayAndTime(new Date().toISOString()) ?? '').slice(0, 10);
  const at = Date.parse(`${today}T${text.length === 5 ? `${text}:59` : text}.999${zone}`);
  if (Number.isNaN(at)) throw invalid('must be a time such as 09:14, 09:14:02 or 2026-01-31T09:14:02Z');
  return new Date(at - 999 > Date.now() ? at - 86_400_000 : at).toISOString();
}

function withZone(text: string, zone: string): string {
  if (/[Zz]$|[+-]\d\d:?\d\d$/.test(text)) return text;
  return `${text.length === 10 ? `${text}T23:59:59` : text}${zone}`;
}

const FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  {
    name: 'at',
    value: 'TIME',
    summary: 'decisions up to this time: 09:14, 09:14:02 or ISO 8601',
    parse: momentOf,
  },
  {
    name: 'message-ref',
    value: 'REF',
    names: 'message',
    summary: 'only decisions about this message',
    parse: notBlank,
  },
  { name: 'request', value: 'ID', summary: 'explain one request instead', parse: notBlank },
  { name: 'reminder-id', value: 'ID', summary: 'explain one reminder instead', parse: notBlank },
  { name: 'notice', summary: 'what you were notified of, of this agent or of all, and what happened to it' },
  {
    name: 'limit',
    value: 'N',
    summary: 'maximum number of decisions; a run of equal decisions counts as one',
    parse: wholeNumber(1, 100_000),
    default: 10,
  },
  { name: 'replay', summary: 'repeat each decision from its stored facts, and compare' },
] as const satisfies readonly Flag[];

const why = command({
  ...FIRST_WORDS.why,
  description:
    'Shows the state of each reminder and each decision about waking the agent for mail, newest ' +
    'first: the rules that were applied and their results, the outcome of each wake, and when the ' +
    'next check is. Works without a live gateway. Times are local, with --utc in UTC. With --replay each decision is ' +
    'repeated from its stored facts and must have the same result (exit code 1 if not).',
  examples: [
    'rouse why --agent-name gpu',
    'rouse why --agent-name gpu --at 09:14:02',
    'rouse why --agent-name gpu --message-ref filesystem:msg-20260416T091402Z-0123456789abcdef0123456789abcdef',
    'rouse why --agent-name gpu --request gwreq-20260416-091402Z-0a1b2c3d',
    'rouse why --agent-name gpu --reminder-id greminder-0a1b2c3d4e5f',
    'rouse why --agent-name gpu --limit 1000 --replay',
    'rouse why --notice',
  ],
  flags: FLAGS,
  run,
});

export default why;
