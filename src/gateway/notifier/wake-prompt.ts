import { COMMS_SKILL, type NotifierMode, PROCESS_SKILL } from '../../domain/index.ts';
import { toolOf } from '../../tools/index.ts';
import { GATEWAY_ROUTES } from '../../wire/index.ts';

/**
 * How the agent reaches its mail: over HTTP, or by commands where the gateway serves no mail, because it listens beyond
 * loopback.
 */
export type MailDoors = { baseUrl: string } | { command: (words: string) => string };

export interface WakePromptFacts {
  mode: NotifierMode;
  tool: string;
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

/** The same operations as words of the command line. */
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

function doorsBlock(facts: WakePromptFacts): string {
  const heading =
    'baseUrl' in facts.doors
      ? `Gateway: ${facts.doors.baseUrl} (exactly this address; do not look for another)`
      : 'Mail is reached by these commands (exactly this program; no gateway address serves it):';
  return `${heading}\n${endpoints(facts)}`;
}

function endpoints({ doors, mode }: WakePromptFacts): string {
  const each =
    'baseUrl' in doors
      ? ENDPOINTS.map(({ method, path }) => `${method} ${doors.baseUrl}${path}`)
      : commands(mode).map((words) => doors.command(words));
  return each.map((line) => `- ${line}`).join('\n');
}

/** How this tool is told to use an installed skill; without one, or where the skill has no address to use, the doors are enough. */
function skillBlock({ tool, doors, skills }: WakePromptFacts): string {
  const comms = `For the exact contract of the mail API, or when there is no gateway, use \`${COMMS_SKILL}\`.`;
  if (!('baseUrl' in doors)) return ['Use the commands below.', ...(skills.comms ? [comms] : [])].join('\n');
  if (!skills.process) {
    return `The mail skills are not installed for this session. Use the endpoints below directly.`;
  }
  const call = toolOf(tool)?.skills?.call?.(PROCESS_SKILL, doors.baseUrl);
  const lines = [
    `Use the installed skill \`${PROCESS_SKILL}\` for this round, the way this tool runs its skills; do not search for its files.`,
  ];
  if (call !== undefined) lines.push('', call, '');
  if (skills.comms) lines.push(comms);
  return lines.join('\n');
}
