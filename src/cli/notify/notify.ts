import { commandLine, invalid, messageOf, notFound, systemClock } from '../../base/index.ts';
import {
  CHANNELS,
  type Channel,
  codesOf,
  isCodeOf,
  NEED_KINDS,
  NEEDS,
  WEBHOOK_FORMATS,
} from '../../domain/index.ts';
import type { ChannelTargets, Subscription, SubscriptionSettings } from '../../notices/index.ts';
import { CODES } from '../../wire/codes.ts';
import { type Command, command, type Flag, type Input, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { durationSeconds, notBlank } from '../input/flag-values.ts';
import { type Column, table } from '../print/table.ts';
import { lookAgain, noticesDirectory, withOutbox } from './outbox.ts';
import { scopeOf, subscriptionData, whenOf } from './print.ts';
import { shownTarget, targetFrom } from './targets.ts';

const CHANNEL_NAMES = codesOf(CHANNELS);

const ADD_FLAGS = [
  { name: 'kind', value: 'KIND', summary: 'only this kind of need', choices: NEED_KINDS, many: true },
  { name: 'agent', value: 'NAME', names: 'agent', summary: 'only this agent', many: true, parse: notBlank },
  {
    name: 'who',
    value: 'NAME',
    summary: 'of requests to people, only those to this person',
    parse: notBlank,
  },
  {
    name: 'after',
    value: 'TIME',
    summary: 'only if it lasts this long, such as 30s or 5m',
    parse: durationSeconds,
    default: 30,
  },
  {
    name: 'repeat',
    value: 'TIME',
    summary: 'again each time this long, while it lasts',
    parse: atLeastAMinute,
  },
  {
    name: 'quiet-hours',
    value: 'FROM-TO',
    summary: 'nothing then, such as 22:00-07:00; it comes afterwards',
    parse: hours,
  },
  {
    name: 'time-zone',
    value: 'ZONE',
    summary: "time zone of the quiet hours (default: this machine's)",
    parse: zone,
  },
  { name: 'text', summary: 'also say what it is about, such as the subject of mail' },
  {
    name: 'format',
    value: 'FORMAT',
    summary: 'of a webhook: what its body looks like (default standard)',
    choices: codesOf(WEBHOOK_FORMATS),
  },
  { name: 'to', value: 'ID', summary: 'the chat id of Telegram, or the topic of ntfy', parse: notBlank },
  {
    name: 'from',
    value: 'ADDRESS',
    summary:
      'the sender of e-mail (default: the recipient), or for Web Push an address of yours for the push services',
    parse: notBlank,
  },
  {
    name: 'url-file',
    value: 'FILE',
    summary: 'private file with the URL of the webhook, or of the mail server; - is standard input',
    parse: notBlank,
  },
  {
    name: 'secret-file',
    value: 'FILE',
    summary: 'private file with the signing secret of a standard webhook (default: one is made)',
    parse: notBlank,
  },
] as const satisfies readonly Flag[];

function atLeastAMinute(text: string): number {
  const seconds = durationSeconds(text);
  if (seconds < 60) throw invalid('must be 1m or longer');
  return seconds;
}

function hours(text: string): { from: string; to: string } {
  const [, from, to] = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d)$/.exec(text) ?? [];
  if (from === undefined || to === undefined || from === to)
    throw invalid('must be two different times of day such as 22:00-07:00');
  return { from, to };
}

function zone(text: string): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    throw invalid('must be a time zone such as Europe/Berlin or UTC');
  }
}

function settingsFrom({ flags }: InputOf<typeof ADD_FLAGS>): SubscriptionSettings {
  const { quietHours, timeZone } = flags;
  if (timeZone !== undefined && !quietHours) throw invalid('--time-zone goes with --quiet-hours FROM-TO');
  const local = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return {
    who: flags.who ?? null,
    kinds: flags.kind ?? null,
    agents: flags.agent ?? null,
    quiet_hours: quietHours ? { ...quietHours, time_zone: timeZone ?? local() } : null,
    after_seconds: flags.after,
    repeat_seconds: flags.repeat ?? null,
    text: flags.text ?? false,
  };
}

async function add(input: InputOf<typeof ADD_FLAGS>): Promise<Output> {
  const [channel] = input.args;
  if (!isCodeOf(CHANNELS, channel))
    throw invalid(`there is no channel ${JSON.stringify(channel)}`, {
      hint: `there are: ${CHANNEL_NAMES.join(', ')}`,
    });
  const settings = settingsFrom(input);
  const target = await targetFrom(channel, input);
  const added = (await withOutbox(input, (outbox) => outbox.add(channel, target, settings), { make: true }))!;
  await lookAgain(input);
  const secret = secretOf(added);
  return {
    data: { ...subscriptionData(added), ...(secret !== undefined && { secret }) },
    plain: [
      `Notices ${added.id}: ${scopeOf(added)}, ${whenOf(added)}, by ${CHANNELS[channel].words}.`,
      ...(secret === undefined ? [] : [`Signing secret: ${secret}`, 'It will not be shown again.']),
      ...(channel === 'status-line' ? ['"rouse status-line" prints the lines for .tmux.conf.'] : []),
      ...(channel === 'web-push' ? [TURN_ON] : []),
      `"${commandLine`rouse notify test ${added.id}`}" sends one ${channel === 'web-push' ? 'then' : 'now'}.`,
    ].join('\n'),
  };
}

const TURN_ON =
  'Open the page in the browser that is to get them ("rouse dashboard" prints a link), and turn on Settings, "Also when the page is closed".';

/** Only a standard webhook is signed. */
function secretOf({ channel, target }: Subscription): string | undefined {
  if (channel !== 'webhook') return undefined;
  const { format, secret } = target as ChannelTargets['webhook'];
  return format === 'standard' ? secret : undefined;
}

const COLUMNS: Column<Subscription>[] = [
  { title: 'id', value: ({ id }) => id, right: true },
  { title: 'channel', value: ({ channel }) => channel },
  { title: 'to', value: ({ channel, target }) => shownTarget(channel, target), max: 40 },
  { title: 'of what', value: scopeOf, max: 40 },
  { title: 'when', value: whenOf },
  { title: 'trouble', value: ({ failure }) => failure },
];

async function list(input: Input): Promise<Output> {
  const all = (await withOutbox(input, (outbox) => outbox.subscriptions())) ?? [];
  return {
    data: { subscriptions: all.map(subscriptionData) },
    plain: all.length > 0 ? table(all, COLUMNS) : 'No notices. "rouse notify add desktop" adds some.',
  };
}

function known(subscription: Subscription | undefined, word: string): Subscription {
  if (subscription && subscription.removed_at_utc === null) return subscription;
  throw notFound(`there are no notices ${word}`, { hint: '"rouse notify list" shows them' });
}

const idOf = ({ args: [word = ''] }: Input): number => {
  if (!/^\d{1,15}$/.test(word))
    throw invalid(`${JSON.stringify(word)} is not a number of "rouse notify list"`);
  return Number(word);
};

async function remove(input: Input): Promise<Output> {
  const id = idOf(input);
  const removed = await withOutbox(input, (outbox) => {
    const found = known(outbox.subscription(id), String(id));
    outbox.remove(id);
    return found;
  });
  const view = known(removed, String(id));
  await lookAgain(input);
  return { data: { ...subscriptionData(view), status: 'removed' }, plain: `Notices ${id} removed.` };
}

async function test(input: Input): Promise<Output> {
  const id = idOf(input);
  const { sendTest } = await import('../../notices/index.ts');
  const sent = await withOutbox(input, async (outbox) => {
    const subscription = known(outbox.subscription(id), String(id));
    const on = { outbox, directory: noticesDirectory(input), clock: systemClock, signal: input.signal };
    const error = await sendTest(subscription, on).then(() => undefined, messageOf);
    return { channel: subscription.channel, error };
  });
  if (sent === undefined) throw notFound(`there are no notices ${id}`);
  const { channel, error } = sent;
  if (error === undefined)
    return { data: { id, status: 'sent' }, plain: `Sent by ${CHANNELS[channel].words}.` };
  return {
    data: { id, status: 'failed', error },
    plain: `Not sent: ${error}`,
    exitCode: CODES.unavailable.exit,
  };
}

const ID = [{ name: 'id', summary: 'its number in "rouse notify list"' }];

const notify: Command = {
  ...FIRST_WORDS.notify,
  description:
    'Subscribes you to what agents need you for, so that you hear of it away from the page. Each need is stored, sent ' +
    'once by each channel and taken back when it is over. A notice says who and which kind; --text adds what it is ' +
    'about. Nothing runs until you add one. "rouse why --notice" shows what was sent.',
  subcommands: [
    command({
      name: 'add',
      summary: 'add notices by one channel',
      description: `The channels: ${channelWords()}. The kinds: ${Object.keys(NEEDS).join(', ')}.`,
      examples: [
        'rouse notify add desktop --quiet-hours 22:00-07:00',
        'rouse notify add status-line --after 0s',
        'rouse notify add web-push --quiet-hours 22:00-07:00',
        'rouse notify add webhook https://hooks.example.org/rouse --repeat 1h',
        'rouse notify add webhook --format slack --url-file ~/.slack-webhook',
        'rouse notify add email ana@example.org --url-file ~/.smtp-url --kind dialog --agent rev',
      ],
      args: [
        { name: 'channel', summary: 'how to reach you', choices: CHANNEL_NAMES },
        { name: 'target', summary: 'the URL of a webhook, or an e-mail address', optional: true },
      ],
      flags: ADD_FLAGS,
      run: add,
    }),
    command({
      name: 'list',
      summary: 'your notices, and what keeps them from being sent',
      examples: ['rouse notify list'],
      flags: [],
      run: list,
    }),
    command({
      name: 'test',
      summary: 'send one now',
      examples: ['rouse notify test 1'],
      args: ID,
      flags: [],
      run: test,
    }),
    command({
      name: 'remove',
      summary: 'remove them; what was sent is taken back where that is possible',
      examples: ['rouse notify remove 1'],
      args: ID,
      flags: [],
      run: remove,
    }),
  ],
};

function channelWords(): string {
  return (Object.entries(CHANNELS) as [Channel, (typeof CHANNELS)[Channel]][])
    .map(([code, { words, needs }]) => `${code} (${words}${needs === null ? '' : `, needs ${needs}`})`)
    .join(', ');
}

export default notify;
