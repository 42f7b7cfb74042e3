import { invalid } from '../../base/index.ts';
import {
  fromNow,
  type WakeSetting,
  type WakeSettingName,
  wakeSettings,
  wakeValuesOf,
} from '../../domain/index.ts';
import type {
  MailNotifierInput,
  MailNotifierStatus,
  NotifierPreview,
  PausedThread,
} from '../../wire/index.ts';
import { severalAgents } from '../agents/several-agents.ts';
import { GATEWAY_TARGET_FLAGS, type TargetInput } from '../agents/target.ts';
import { type Command, command, type Flag, flagKey, type InputOf, type Output } from '../command.ts';
import { notBlank, wholeNumber } from '../input/flag-values.ts';
import { dayAndTime } from '../print/local-time.ts';
import { keyValues } from '../print/table.ts';
import { timesInText } from '../print/times-in-text.ts';
import { liveGateway } from './target.ts';

function output(status: MailNotifierStatus): Output {
  return { data: status, plain: notifierText(status, Date.now()) };
}

export function notifierText(status: MailNotifierStatus, nowMs: number): string {
  const { quiet_hours: quiet, next_look_at_utc: next } = status;
  return keyValues({
    enabled: status.enabled,
    ...wakeValuesOf(status),
    quiet_hours: quiet ? `${quiet.from}-${quiet.to} ${quiet.time_zone}` : null,
    wakes_per_hour: status.wakes_per_hour ?? 'not limited',
    supported: status.supported,
    ...(status.support_error && { support_error: status.support_error }),
    last_poll: dayAndTime(status.last_poll_at_utc),
    last_notification: dayAndTime(status.last_notification_at_utc),
    last_error: status.last_error,
    ...(status.paused_threads && { paused_threads: status.paused_threads.map(pausedText).join('; ') }),
    held_back: status.held_back && timesInText(status.held_back),
    next_look: next ? `${fromNow(next, nowMs)} (${dayAndTime(next)}), sooner when mail arrives` : null,
  });
}

function pausedText({ thread_ref, automatic_replies, newest_at_utc }: PausedThread): string {
  return `${thread_ref} (${automatic_replies} automatic replies, the newest ${dayAndTime(newest_at_utc)})`;
}

async function resume(input: InputOf<typeof RESUME_FLAGS>): Promise<Output> {
  const body = { thread_ref: input.flags.thread };
  return output(await (await liveGateway(input)).call('notifier.resume', { body }));
}

async function preview(input: TargetInput): Promise<Output> {
  const seen = await (await liveGateway(input)).call('notifier.preview', {});
  return { data: seen, plain: previewText(seen) };
}

const LEADS: Record<NotifierPreview['leads_with'], string> = {
  tools: 'the mail tools of its session',
  skill: 'the installed skill',
  command: 'commands',
};

function previewText({ open_mail: open, mode, leads_with, problem, prompt }: NotifierPreview): string {
  const about =
    open === null
      ? 'The mailbox cannot be read now; a wake would be:'
      : open === 0
        ? `No open mail in mode ${mode}; a wake would be:`
        : `For ${open === 1 ? '1 open message' : `${open} open messages`} in mode ${mode}; nothing was typed:`;
  const notes = [`leads with ${LEADS[leads_with]}`, ...(problem ? [problem] : [])];
  return `${about} (${notes.join('; ')})\n\n${prompt}`;
}

async function enable(input: InputOf<typeof ENABLE_FLAGS>): Promise<Output> {
  const flags: Readonly<Record<string, unknown>> = input.flags;
  const set = wakeSettings.map(([name]) => {
    const value = flags[flagKey(flagOf(name))];
    return [name, value === NONE ? null : value];
  });
  const body = { ...Object.fromEntries(set), quiet_hours: quietHours(input) } as MailNotifierInput;
  return output(await (await liveGateway(input)).call('notifier.enable', { body }));
}

function quietHours({ flags }: InputOf<typeof ENABLE_FLAGS>): MailNotifierInput['quiet_hours'] {
  const { quietHours: hours, timeZone: zone } = flags as { quietHours?: Hours; timeZone?: string };
  if (typeof hours !== 'object' && zone) throw invalid('--time-zone goes with --quiet-hours FROM-TO');
  if (hours === NONE) return null;
  return hours && { ...hours, time_zone: zone ?? localZone() };
}

function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

type Hours = { from: string; to: string } | typeof NONE;

function hoursOfDay(text: string): Hours {
  if (text === NONE) return NONE;
  const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(text) ?? [];
  if (from === undefined || to === undefined || from === to) {
    throw invalid(`must be two different times of day such as 22:00-07:00, or ${NONE}`);
  }
  return { from, to };
}

const NONE = 'none';

const flagOf = (name: WakeSettingName): string => name.replaceAll('_', '-');

function parserOf({ kind, fallback, omitted }: WakeSetting): Pick<Flag, 'parse' | 'choices'> {
  const orNone = fallback === null && omitted === 'stays';
  switch (kind.type) {
    case 'whole': {
      const parse = wholeNumber(kind.from, kind.to);
      return { parse: orNone ? (text) => (text === NONE ? NONE : parse(text)) : parse };
    }
    case 'code':
      return { choices: kind.codes };
    case 'hours':
      return { parse: hoursOfDay };
  }
}

const TIME_ZONE: Flag = {
  name: 'time-zone',
  value: 'ZONE',
  summary: "time zone of the quiet hours (default: this machine's)",
  parse: notBlank,
};

const SETTING_FLAGS = wakeSettings.flatMap(([name, setting]): Flag[] => [
  {
    name: flagOf(name),
    value: setting.flag.value,
    summary: setting.flag.summary,
    ...parserOf(setting),
    ...(setting.omitted === 'refused' && { required: true }),
  },
  ...(setting.kind.type === 'hours' ? [TIME_ZONE] : []),
]);

const ENABLE_FLAGS = [...GATEWAY_TARGET_FLAGS, ...SETTING_FLAGS] as const satisfies readonly Flag[];

const RESUME_FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  {
    name: 'thread',
    value: 'REF',
    summary: 'the thread, as status names it under paused_threads',
    parse: notBlank,
    required: true,
  },
] as const satisfies readonly Flag[];

const notifier: Command = {
  name: 'mail-notifier',
  summary: 'whether and how the agent is woken for mail',
  subcommands: [
    severalAgents(
      command({
        name: 'status',
        summary: 'how and when the agent is woken, and what delays a wake now',
        examples: ['rouse agents gateway mail-notifier status --agent-name gpu'],
        flags: GATEWAY_TARGET_FLAGS,
        run: async (input) => output(await (await liveGateway(input)).notifier()),
      }),
    ),
    severalAgents(
      command({
        name: 'enable',
        summary: 'wake the agent for open mail, or change how',
        description:
          'New mail wakes the agent as soon as it may be disturbed. The interval is a safety net and, ' +
          'with --repeat every_poll, how often unhandled mail is announced again. Settings without their flags stay as ' +
          'they are; only the mode returns to any_inbox.',
        examples: [
          'rouse agents gateway mail-notifier enable --agent-name gpu --interval-seconds 60',
          'rouse agents gateway mail-notifier enable --agent-name gpu --interval-seconds 60 --repeat backoff --quiet-hours 22:00-07:00 --time-zone Europe/Zurich',
        ],
        flags: ENABLE_FLAGS,
        run: enable,
      }),
    ),
    command({
      name: 'preview',
      summary: 'the prompt with which the agent would be woken now',
      description:
        'It starts with what works for this agent: the mail tools of its session, the installed skill, or commands. ' +
        'Nothing is typed, stored or marked.',
      examples: ['rouse agents gateway mail-notifier preview --agent-name gpu'],
      flags: GATEWAY_TARGET_FLAGS,
      run: preview,
    }),
    command({
      name: 'resume',
      summary: 'wake the agent again for a thread that was paused as a mail loop',
      description:
        'A thread in which agents answer each other 20 times in a row without a person stops waking them ' +
        '(ROUSE_MAX_AUTOMATIC_REPLIES sets another number). This command, or a person writing into the thread, restarts ' +
        'the count.',
      examples: [
        'rouse agents gateway mail-notifier resume --agent-name gpu --thread filesystem:msg-20260416T091402Z-0123456789abcdef0123456789abcdef',
      ],
      flags: RESUME_FLAGS,
      run: resume,
    }),
    severalAgents(
      command({
        name: 'disable',
        summary: 'do not wake the agent for mail',
        examples: ['rouse agents gateway mail-notifier disable --agent-name gpu'],
        flags: GATEWAY_TARGET_FLAGS,
        run: async (input) => output(await (await liveGateway(input)).call('notifier.disable', {})),
      }),
    ),
  ],
};

export default notifier;
