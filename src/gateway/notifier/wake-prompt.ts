import type { NotifierMode } from '../../domain/index.ts';

export interface WakePromptFacts {
  mode: NotifierMode;
  tool: string;
  baseUrl: string;
  skills: { process: boolean; comms: boolean };
}

export const PROCESS_SKILL = 'houmao-process-emails-via-gateway';
export const COMMS_SKILL = 'houmao-agent-email-comms';

const GUIDANCE: Record<NotifierMode, string> = {
  any_inbox:
    'List open inbox mail with `read_state: any`, `answered_state: any`, `archived: false`. Mail you have read or answered before is still open until it is archived.',
  unread_only:
    'List unread inbox mail first, with `read_state: unread`, `answered_state: any`, `archived: false`. Mail that is read but not archived does not wake you again.',
};

const ENDPOINTS: [string, string][] = [
  ['GET', 'status'],
  ...['list', 'peek', 'read', 'send', 'post', 'reply', 'mark', 'move', 'archive'].map(
    (name): [string, string] => ['POST', name],
  ),
];

/** Fills the template's slots. Nothing of any message can get in here: no fact carries one. */
export function renderWakePrompt(template: string, facts: WakePromptFacts): string {
  const slots: Record<string, string> = {
    mode: facts.mode,
    mode_guidance: GUIDANCE[facts.mode],
    skill_block: skillBlock(facts),
    'gateway.base_url': facts.baseUrl,
    endpoints: ENDPOINTS.map(([method, name]) => `- ${method} ${facts.baseUrl}/v1/mail/${name}`).join('\n'),
  };
  return template.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (whole, name: string) => slots[name] ?? whole).trimEnd();
}

/** How this tool is told to use an installed skill; without one, the endpoints are enough. */
function skillBlock({ tool, baseUrl, skills }: WakePromptFacts): string {
  if (!skills.process) {
    return `The mail skills are not installed for this session. Use the endpoints below directly.`;
  }
  const invoke: Record<string, string> = {
    claude: `/${PROCESS_SKILL}`,
    codex: `$${PROCESS_SKILL} ${baseUrl}`,
  };
  const lines = [
    `Use the installed skill \`${PROCESS_SKILL}\` for this round, the way this tool runs its skills; do not search for its files.`,
  ];
  if (invoke[tool]) lines.push('', invoke[tool]!, '');
  if (skills.comms) {
    lines.push(
      `For the exact contract of the mail API, or when there is no gateway, use \`${COMMS_SKILL}\`.`,
    );
  }
  return lines.join('\n');
}
