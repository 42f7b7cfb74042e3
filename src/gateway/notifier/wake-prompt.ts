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
}

const GUIDANCE: Record<NotifierMode, string> = {
  any_inbox:
    'List open inbox mail with `read_state: any`, `answered_state: any`, `archived: false`. Mail you have read or answered before is still open until it is archived.',
  unread_only:
    'List unread inbox mail first, with `read_state: unread`, `answered_state: any`, `archived: false`. Mail that is read but not archived does not wake you again.',
};

const ENDPOINTS = (
  ['status', 'list', 'peek', 'read', 'send', 'post', 'reply', 'mark', 'move', 'archive'] as const
).map((name) => GATEWAY_ROUTES[`mail.${name}`]);

const FILTERS: Record<NotifierMode, string> = {
  any_inbox: '--read-state any --answered-state any --not-archived',
  unread_only: '--read-state unread --answered-state any --not-archived',
};

const MESSAGE = '--message-ref REF';

/** The same operations as command-line words. */
const commands = (mode: NotifierMode): string[] => [
  'status',
  `list ${FILTERS[mode]}`,
  `peek ${MESSAGE}`,
  `read ${MESSAGE}`,
  'send --to ADDRESS --subject TEXT --body-content TEXT',
  'post --subject TEXT --body-content TEXT',
  `reply ${MESSAGE} --body-content TEXT`,
  `mark ${MESSAGE} --read`,
  `move ${MESSAGE} --destination-box BOX`,
  `archive ${MESSAGE}`,
];

/** Fills the template's slots. Nothing of any message can get in here: no fact carries one. */
export function renderWakePrompt(template: string, facts: WakePromptFacts): string {
  const slots: Record<string, string> = {
    mode: facts.mode,
    mode_guidance: GUIDANCE[facts.mode],
    skill_block: skillBlock(facts),
    doors: doorsBlock(facts),
    'gateway.base_url': 'baseUrl' in facts.doors ? facts.doors.baseUrl : 'none that serves mail',
    endpoints: endpoints(facts),
  };
  return template.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (whole, name: string) => slots[name] ?? whole).trimEnd();
}

/** After the tools or the skill: the commands in a line, then every address, or each command on its own line. */
function doorsBlock(facts: WakePromptFacts): string {
  if (!('baseUrl' in facts.doors))
    return `Mail is reached by these commands (exactly this program; no gateway address serves it):\n${endpoints(facts)}`;
  const { baseUrl } = facts.doors;
  const list = facts.command?.(`list ${FILTERS[facts.mode]}`);
  const otherwise = facts.tools ? 'Without these tools, by command' : 'By command';
  const also = 'also peek, read, send, reply, mark, move, archive; see --help';
  return [
    ...(list === undefined ? [] : [`${otherwise}: ${list}`, `(${also})`]),
    `Gateway: ${baseUrl} (exactly this address; do not look for another)`,
    endpoints(facts),
  ].join('\n');
}

function endpoints({ doors, mode }: WakePromptFacts): string {
  const each =
    'baseUrl' in doors
      ? ENDPOINTS.map(({ method, path }) => `${method} ${doors.baseUrl}${path}`)
      : commands(mode).map((words) => doors.command(words));
  return each.map((line) => `- ${line}`).join('\n');
}

/** The operations of one round of mail, in order. */
const ROUND = ['list', 'read', 'reply', 'send', 'archive'] as const;

function toolsLine(tools: MailTools): string {
  return `Use your mail tools, which need no shell and no address: ${ROUND.map((name) => `\`${tools(name)}\``).join(', ')}.`;
}

/** Instructs this tool to use its mail tools or an installed skill. Without either, or without an address for the skill, the doors are enough. */
function skillBlock({ tool, doors, skills, tools }: WakePromptFacts): string {
  const comms = `For the exact contract of the mail API, or when there is no gateway, use \`${COMMS_SKILL}\`.`;
  const lead = tools ? [toolsLine(tools)] : [];
  const also = skills.comms ? [comms] : [];
  if (!('baseUrl' in doors))
    return [...lead, ...(tools ? [] : ['Use the commands below.']), ...also].join('\n');
  if (!skills.process) {
    const missing = 'The mail skills are not installed for this session.';
    return [
      ...lead,
      `${missing} Use the endpoints below directly${tools ? ' where a tool is missing' : ''}.`,
    ].join('\n');
  }
  const call = toolOf(tool)?.skills?.call?.(PROCESS_SKILL, doors.baseUrl);
  const manner = tools
    ? `How a round goes is in the installed skill \`${PROCESS_SKILL}\`; where it calls an endpoint, use the tool of that name.`
    : `Use the installed skill \`${PROCESS_SKILL}\` for this round, the way this tool runs its skills; do not search for its files.`;
  return [...lead, manner, ...(call !== undefined ? ['', call, ''] : []), ...also].join('\n');
}
