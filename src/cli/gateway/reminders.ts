import type { Reminder } from '../../wire/index.ts';
import { GATEWAY_TARGET_FLAGS, type TargetInput } from '../agents/target.ts';
import { type Command, command, type Flag, type InputOf, type Output } from '../command.ts';
import { MODE, REMINDER_FLAGS, REMINDER_ID, reminderFlags, TITLE } from './reminder-flags.ts';
import { reminderTable, reminderText } from './reminder-print.ts';
import { liveGateway } from './target.ts';

async function list(input: TargetInput): Promise<Output> {
  const set = await (await liveGateway(input)).reminders();
  return { data: set, plain: reminderTable(set, Date.now()) };
}

async function get(input: InputOf<typeof GET_FLAGS>): Promise<Output> {
  return one(await (await liveGateway(input)).call('reminders.get', { reminder_id: idOf(input) }));
}

async function create(input: InputOf<typeof CREATE_FLAGS>): Promise<Output> {
  const { newDefinition } = await import('./reminder-definition.ts');
  const flags = reminderFlags(input);
  // Flags that contradict each other are refused before any request.
  newDefinition(flags, []);
  const gateway = await liveGateway(input);
  const { reminders } = await gateway.reminders();
  const made = await gateway.call('reminders.create', {
    body: {
      reminders: [
        newDefinition(
          flags,
          reminders.map((each) => each.ranking),
        ),
      ],
    },
  });
  const [reminder] = made.reminders;
  return { data: made, plain: `Reminder created.\n${reminderText(reminder!, Date.now())}` };
}

async function set(input: InputOf<typeof SET_FLAGS>): Promise<Output> {
  const { changedDefinition } = await import('./reminder-definition.ts');
  const gateway = await liveGateway(input);
  const id = idOf(input);
  const current = await gateway.call('reminders.get', { reminder_id: id });
  const { reminders } = await gateway.reminders();
  const others = reminders.filter((each) => each.reminder_id !== id).map((each) => each.ranking);
  return one(
    await gateway.call('reminders.put', {
      reminder_id: id,
      body: changedDefinition(current, reminderFlags(input), others),
    }),
  );
}

async function remove(input: InputOf<typeof REMOVE_FLAGS>): Promise<Output> {
  const result = await (await liveGateway(input)).call('reminders.delete', { reminder_id: idOf(input) });
  return { data: result, plain: result.detail };
}

function idOf({ flags }: InputOf<readonly [typeof REMINDER_ID]>): string {
  return flags.reminderId;
}

function one(reminder: Reminder): Output {
  return { data: reminder, plain: reminderText(reminder, Date.now()) };
}

const GET_FLAGS = [...GATEWAY_TARGET_FLAGS, REMINDER_ID] as const satisfies readonly Flag[];

const CREATE_FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  { ...TITLE, required: true },
  { ...MODE, required: true },
  ...REMINDER_FLAGS,
] as const satisfies readonly Flag[];

const SET_FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  REMINDER_ID,
  TITLE,
  MODE,
  ...REMINDER_FLAGS,
] as const satisfies readonly Flag[];

const REMOVE_FLAGS = [...GATEWAY_TARGET_FLAGS, REMINDER_ID] as const satisfies readonly Flag[];

const reminders: Command = {
  name: 'reminders',
  summary: 'prompts or keys to send later, one at a time, in ranking order',
  subcommands: [
    command({
      name: 'list',
      summary: 'all live reminders in ranking order, and what blocks what',
      description:
        'Only the first one (→) is delivered, when the gateway has nothing else to do. The others wait ' +
        'until it is changed, removed or done, also while it is paused.',
      examples: ['rouse agents gateway reminders list --agent-name gpu'],
      flags: GATEWAY_TARGET_FLAGS,
      run: list,
    }),
    command({
      name: 'get',
      summary: 'one reminder, with its next due times and how its last delivery ended',
      examples: ['rouse agents gateway reminders get --agent-name gpu --reminder-id greminder-0a1b2c3d4e5f'],
      flags: GET_FLAGS,
      run: get,
    }),
    command({
      name: 'create',
      summary: 'create a reminder',
      description:
        'Needs one of --prompt or --sequence, one of --ranking, --before-all or --after-all, and a time: one of ' +
        '--start-after-seconds or --deliver-at-utc (repeat: with --interval-seconds), or --cron. A reminder ends with ' +
        'the gateway, unless --durable with --missed makes it survive a restart.',
      examples: [
        'rouse agents gateway reminders create --agent-name gpu --title "Check inbox" --mode one_off --prompt "Review the inbox now." --ranking 0 --start-after-seconds 300',
        'rouse agents gateway reminders create --agent-name gpu --title "Daily report" --mode repeat --prompt "Report progress." --before-all --cron "0 9 * * 1-5" --time-zone Europe/Zurich --durable --missed once',
        'rouse agents gateway reminders create --agent-name gpu --title "Dismiss" --mode one_off --sequence \'<[Escape]>\' --no-ensure-enter --ranking -100 --start-after-seconds 5',
      ],
      flags: CREATE_FLAGS,
      run: create,
    }),
    command({
      name: 'set',
      summary: 'change a reminder; everything else stays as it is',
      description:
        'Without a time flag its due time and cadence stay as they are. A reminder that is being ' +
        'delivered cannot be changed.',
      examples: [
        'rouse agents gateway reminders set --agent-name gpu --reminder-id greminder-0a1b2c3d4e5f --no-paused',
        'rouse agents gateway reminders set --agent-name gpu --reminder-id greminder-0a1b2c3d4e5f --after-all',
      ],
      flags: SET_FLAGS,
      run: set,
    }),
    command({
      name: 'remove',
      summary: 'delete a reminder; a delivery in progress is completed first',
      examples: [
        'rouse agents gateway reminders remove --agent-name gpu --reminder-id greminder-0a1b2c3d4e5f',
      ],
      flags: REMOVE_FLAGS,
      run: remove,
    }),
  ],
};

export default reminders;
