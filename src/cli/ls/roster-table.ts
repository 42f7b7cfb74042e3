import { commandLine } from '../../base/index.ts';
import { bareReason, enableCommand, pausedUntil } from '../../domain/index.ts';
import type { Roster, RosterAgent } from '../../session/index.ts';
import type { Input } from '../command.ts';
import { type Colour, painter } from '../print/colour.ts';
import { shortTime } from '../print/local-time.ts';
import { type Column, table } from '../print/table.ts';
import { timesInText } from '../print/times-in-text.ts';
import { wrapText } from '../print/wrap-text.ts';

/** `working since 09:14Z`, `waits for you: permission dialog`, `idle, paused until 08:00Z`. */
export function stateWords(agent: RosterAgent, now = new Date()): string {
  const { paused } = agent;
  const words = unpausedWords(agent, now);
  if (!paused) return words;
  return `${words}, paused${paused.until_utc === null ? '' : ` until ${shortTime(paused.until_utc, now)}`}`;
}

function unpausedWords({ state, since, reason, gateway }: RosterAgent, now: Date): string {
  switch (state) {
    case 'working':
      return since === null ? 'working' : `working since ${shortTime(since, now)}`;
    case 'needs_you':
      return gateway === 'live' ? `waits for you: ${reason}` : reason;
    default:
      return timesInText(reason);
  }
}

export function wakesWords({ wakes }: RosterAgent): string | null {
  if (wakes === null) return null;
  return wakes.on ? String(wakes.count) : wakes.count > 0 ? `${wakes.count}, off` : 'off';
}

/** What its mail or its requests wait for, unless the state already shows it. */
export function waitingWords({ waiting_for, state }: RosterAgent): string | null {
  if (waiting_for === null) return null;
  const inState = state === 'needs_you' || state === 'gone' || pausedUntil(waiting_for) !== undefined;
  return inState ? 'see state' : timesInText(bareReason(waiting_for));
}

const COLOURS: Record<RosterAgent['state'], Colour | undefined> = {
  idle: 'green',
  working: 'cyan',
  waiting: undefined,
  needs_you: 'yellow',
  gone: 'red',
  starting: 'dim',
  not_watched: 'dim',
};

const MARKS: Record<RosterAgent['state'], string> = {
  idle: '●',
  working: '▶',
  waiting: '○',
  needs_you: '!',
  gone: '✗',
  starting: '…',
  not_watched: '-',
};

export const NO_AGENTS =
  'no agents; "rouse launch claude ana" starts one, "rouse join ana" adopts a running tool';

type Showing = Pick<Input, 'env' | 'outIsTty' | 'style' | 'outSize'>;

/** The agents as a table that fits the terminal, and below it which of them need a person. */
export function rosterText(roster: Roster, input: Showing): string {
  const { agents, mail_for_you: mails, malformed_records, troubles } = roster;
  const below = [
    ...(mails
      ? [painter(input)('bold', `${mails} ${mails === 1 ? 'mail' : 'mails'} for you: "rouse inbox"`)]
      : []),
    ...needsLines(agents, input),
    ...agents.flatMap(wakesOffNote),
    ...pausedNote(agents),
    ...malformed_records.map((file) => `note: ${file} is not a registry record and was skipped`),
    ...troubles.map((trouble) => `note: ${trouble}`),
  ];
  const width = input.outSize()?.columns;
  return [
    agents.length > 0 ? rosterTable(agents, input) : NO_AGENTS,
    ...below.flatMap((line) =>
      width === undefined ? [line] : wrapText(line, { width, indent: '  ', whole: true }),
    ),
  ].join('\n');
}

function rosterTable(agents: RosterAgent[], input: Showing): string {
  const paint = painter(input);
  const fancy = input.style === 'fancy';
  const size = input.outSize();
  const columns: Column<RosterAgent>[] = [
    ...(fancy ? [{ title: '', value: mark, paint: coloured }] : []),
    {
      title: 'name',
      value: ({ called }) => called,
      min: 8,
      paint: (text) => paint('bold', text),
      ...(size && { max: size.columns < 100 ? 16 : 24 }),
    },
    { title: 'tool', value: ({ tool }) => tool, max: 16 },
    { title: 'state', value: (agent) => stateWords(agent), paint: coloured, min: 14 },
    { title: 'mail', value: ({ open_mail }) => open_mail, right: true },
    { title: 'wakes', value: wakesWords, right: true },
    ...(agents.some(waitingWords) ? [{ title: 'waits for', value: waitingWords, min: 9 }] : []),
    { title: 'project', value: ({ project }) => project?.name, max: 24, optional: true },
    ...(agents.some(({ branch }) => branch !== null)
      ? [{ title: 'branch', value: ({ branch }: RosterAgent) => branch, max: 32, optional: true }]
      : []),
    { title: 'directory', value: ({ directory }) => atHome(directory, input.env), optional: true },
  ];
  const fitting = { columns: size?.columns, paintTitle: (line: string) => paint('dim', line) };
  return table(agents, columns, fitting);

  function mark({ state }: RosterAgent): string {
    return MARKS[state];
  }

  function coloured(text: string, { state }: RosterAgent): string {
    return paint(COLOURS[state], text);
  }
}

/** `~/src/app` */
function atHome(directory: string | null, { HOME: home }: NodeJS.ProcessEnv): string | null {
  if (directory === null || !home || !`${directory}/`.startsWith(`${home}/`)) return directory;
  return `~${directory.slice(home.length)}`;
}

/** Points out wakes that are turned off, so that no one waits for them. */
function wakesOffNote({ called: name, wakes }: RosterAgent): string[] {
  if (!wakes?.turned_off) return [];
  const enable = enableCommand(name, wakes.former ?? { interval_seconds: null });
  return [`note: ${name}: wakes are turned off, so its mail waits; "${enable}" turns them on`];
}

/** Points out pauses that no time ends, so that no one waits for the agents. */
function pausedNote(agents: RosterAgent[]): string[] {
  const names = agents.filter(({ paused }) => paused?.until_utc === null).map(({ name }) => name);
  if (names.length === 0) return [];
  const which = names.length > 3 ? ['--all'] : names;
  const resume = commandLine`rouse resume ${which}`;
  return [`note: paused until someone resumes ${names.length > 1 ? 'them' : 'it'}: "${resume}"`];
}

export function needsLines(agents: RosterAgent[], input: Showing): string[] {
  const paint = painter(input);
  return agents.flatMap(({ called: name, state, needs_you, needs }) => {
    if (needs_you === null) return [];
    const look = state === 'needs_you' && !needs[0]?.command ? `: "${commandLine`rouse open ${name}`}"` : '';
    return [paint(COLOURS[state], `${name} needs you: ${needs_you}${look}`)];
  });
}
