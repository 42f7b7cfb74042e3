/** The skills that come with Rouse: how an agent is told to handle its mail. */
export const MAIL_SKILLS = ['houmao-process-emails-via-gateway', 'houmao-agent-email-comms'] as const;
export type MailSkill = (typeof MAIL_SKILLS)[number];

interface SkillPlace {
  /** Names the tool's home directory. */
  variable: string | null;
  /** Below that home. */
  inHome: string;
  /** Below the person's home directory, when no home of the tool is named. */
  byDefault: string;
}

/** Where each tool looks for a person's skills, as `<place>/<skill>/SKILL.md`. */
export const SKILL_PLACES: Readonly<Record<string, SkillPlace>> = {
  claude: { variable: 'CLAUDE_CONFIG_DIR', inHome: 'skills', byDefault: '.claude/skills' },
  codex: { variable: 'CODEX_HOME', inHome: 'skills', byDefault: '.codex/skills' },
  gemini: { variable: 'GEMINI_CLI_HOME', inHome: '.gemini/skills', byDefault: '.gemini/skills' },
  opencode: { variable: null, inHome: 'skills', byDefault: '.config/opencode/skills' },
  kimi: { variable: 'KIMI_CODE_HOME', inHome: 'skills', byDefault: '.agents/skills' },
  qwen: { variable: null, inHome: 'skills', byDefault: '.qwen/skills' },
  copilot: { variable: null, inHome: 'skills', byDefault: '.copilot/skills' },
  pi: { variable: 'PI_CODING_AGENT_DIR', inHome: 'skills', byDefault: '.pi/agent/skills' },
};

export const SKILLED_TOOLS = Object.keys(SKILL_PLACES);

/** The tool's skill directory: below the home that is given or named by its variable, else the person's own. */
export function skillsDirectory(
  tool: string,
  { home, env }: { home?: string | undefined; env: Record<string, string | undefined> },
): string | undefined {
  const place = SKILL_PLACES[tool];
  if (!place) return undefined;
  const toolHome = home ?? (place.variable ? env[place.variable] : undefined);
  if (toolHome) return `${toolHome}/${place.inHome}`;
  return env['HOME'] ? `${env['HOME']}/${place.byDefault}` : undefined;
}
