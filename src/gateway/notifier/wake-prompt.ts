import type { NotifierMode } from '../../domain/index.ts';
import { toolOf } from '../../tools/index.ts';
import { COMMS_SKILL, PROCESS_SKILL } from '../../wire/houmao/index.ts';
import { GATEWAY_ROUTES } from '../../wire/index.ts';

/**
 * How the agent reaches its mail: over HTTP, or by commands if the gateway listens beyond loopback and serves no mail.
 */
export type MailDoors = { baseUrl: string } | { command: (words: string) => string };

/** The name under which the agent's model sees the tool for a mail operation. */
export type MailTools = (operation: string) => string;

/** Which of our tools the agent has. */
export interface AgentTools {
  /** Undefined if it has none that it can use. */
  mail: MailTools | undefined;
  /** It was passed another address, where no gateway serves it. */
  elsewhere: boolean;
  /** Its process was started by hand, without the launch's additions. */
  missing: boolean;
}

export interface WakePromptFacts {
  mode: NotifierMode;
  tool: string;
  /** Undefined for an agent without our tools. */
  tools?: MailTools | undefined;
  /** The command line for mail; named beside the addresses if set. */
  command?: ((words: string) => string) | undefined;
  doors: MailDoors;
  skills: { process: boolean; comms: boolean };
  /** In words that may be typed; undefined: senders are not named. */
  senders?: readonly string[] | undefined;
}

const GUIDANCE: Record<NotifierMode, string> = {
  any_inbox:
    'List: `read_state: any`, `answered_state: any`, `archived: false`. Mail is open until archived.',
  unread_only:
    'List: `read_state: unread`, `answered_state: any`, `archived: false`. Mail is open until read.',
};

const ENDPOINTS = (
  ['status', 'list', 'peek', 'read', 'send', 'post', 'reply', 'mark', 'move', 'archive'] as const
).map((name) => GATEWAY_ROUTES[`mail.${name}`]);

const FILTERS: Record<NotifierMode, string> = {
  any_inbox: '--read-state any --answered-state any --not-archived',
  unread_only: '--read-state unread --answered-state any --not-archived',
};

/** Without what is the default of the command. */
const SHORT_FILTERS: Record<NotifierMode, string> = {
  any_inbox: '--not-archived',
  unread_only: '--read-state unread --not-archived',
};

const MESSAGE = '--message-ref REF';

/** The operations of one round as command-line words. */
const commands = (mode: NotifierMode): string[] => [
  `list ${FILTERS[mode]}`,
  `read ${MESSAGE}`,
  `reply ${MESSAGE} --body TEXT`,
  'send --to ADDRESS --subject TEXT --body TEXT',
  `archive ${MESSAGE}`,
];

/** Fills the template's slots. Of messages, only the words for their senders can get in here: no fact carries more. */
export function renderWakePrompt(template: string, facts: WakePromptFacts): string {
  const slots: Record<string, string> = {
    mode: facts.mode,
    mode_guidance: GUIDANCE[facts.mode],
    senders: facts.senders?.length ? `Mail from: ${facts.senders.map(forAgent).join(', ')}.` : '',
    skill_block: skillBlock(facts),
    doors: doorsBlock(facts),
    'gateway.base_url': 'baseUrl' in facts.doors ? facts.doors.baseUrl : 'none that serves mail',
    endpoints: endpoints(facts),
  };
  // A line that has only an empty slot is left out.
  return template
    .replace(/^\{\{\s*([\w.]+)\s*\}\}\n/gm, (whole, name: string) => (slots[name] === '' ? '' : whole))
    .replace(/\{\{\s*([\w.]+)\s*\}\}/g, (whole, name: string) => slots[name] ?? whole)
    .trimEnd();
}

/** To the agent, "you" alone would mean the agent. */
const forAgent = (name: string): string => (name === 'you' ? '"you" (the person you work for)' : name);

/** After the tools or the skill: the command in a line, then every address, or each command on its own line. */
function doorsBlock(facts: WakePromptFacts): string {
  const { mode, doors } = facts;
  if (!('baseUrl' in doors))
    return [
      'Mail is reached by these commands (exactly this program; no gateway address serves it):',
      endpoints(facts),
      'Also status, peek, post, mark and move; each has --help.',
    ].join('\n');
  const list = facts.command?.(`list ${SHORT_FILTERS[mode]}`);
  const otherwise = facts.tools ? 'Without these tools' : 'By command';
  return [
    ...(list === undefined ? [] : [`${otherwise}: ${list} (also read, reply, send, archive)`]),
    `Gateway: ${doors.baseUrl} (exactly this address; do not look for another)`,
    endpoints(facts),
  ].join('\n');
}

function endpoints({ doors, mode }: WakePromptFacts): string {
  if (!('baseUrl' in doors))
    return commands(mode)
      .map((words) => `- ${doors.command(words)}`)
      .join('\n');
  const each = ENDPOINTS.map(({ method, path }) => `${method} ${doors.baseUrl}${path}`);
  const pairs = each.flatMap((line, n) => (n % 2 === 0 ? [[line, each[n + 1]].join('  ')] : []));
  return pairs.map((pair) => `- ${pair.trimEnd()}`).join('\n');
}

/** The operations of one round of mail, in order. */
const ROUND = ['list', 'read', 'reply', 'send', 'archive'] as const;

const MAX_LINE = 100;

/** Names of several servers' tools are long; a line that is too long for a terminal is broken between two names. */
function toolsLine(tools: MailTools): string {
  const names = ROUND.map((name) => `\`${tools(name)}\``);
  const line = `Use your mail tools: ${names.join(', ')}.`;
  if (line.length <= MAX_LINE) return line;
  return `Use your mail tools: ${names.slice(0, 3).join(', ')},\n${names.slice(3).join(', ')}.`;
}

/** Instructs this tool to use its mail tools or an installed skill. Without either, or without an address for the skill, the doors are enough. */
function skillBlock({ tool, doors, skills, tools }: WakePromptFacts): string {
  const comms = `The exact contract of the mail API, also without a gateway: \`${COMMS_SKILL}\`.`;
  const lead = tools ? [toolsLine(tools)] : [];
  const also = skills.comms ? [comms] : [];
  if (!('baseUrl' in doors))
    return [...lead, ...(tools ? [] : ['Use the commands below.']), ...also].join('\n');
  if (!skills.process) {
    const below = tools ? 'Where a tool is missing, use' : 'Use';
    return [...lead, `The mail skills are not installed for this session. ${below} the mail API.`].join('\n');
  }
  const call = toolOf(tool)?.skills?.call?.(PROCESS_SKILL, doors.baseUrl);
  const manner = tools
    ? `Installed skill for this round: \`${PROCESS_SKILL}\`; your tools are its endpoints.`
    : `Use the installed skill \`${PROCESS_SKILL}\`; do not search for its files.`;
  return [...lead, manner, ...(call !== undefined ? [call] : []), ...also].join('\n');
}
