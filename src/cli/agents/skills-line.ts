import type { SkillsAtLaunch } from '../../session/index.ts';
import { SKILLS_FLAG } from '../../wire/houmao/index.ts';
import type { Flag } from '../command.ts';

export const INSTALL_SKILLS = {
  name: SKILLS_FLAG,
  negatable: true,
  summary: "install the two mail skills in the tool's skill directory (default when there is a mailbox)",
} as const satisfies Flag;

/** Which mail skills were installed; empty when none were and nothing went wrong. */
export function skillsLine(skills: SkillsAtLaunch | undefined): { skills?: string } {
  if (skills?.problem) return { skills: `${skills.problem}; wakes name the endpoints instead` };
  if (!skills?.written.length) return {};
  return { skills: `wrote ${skills.written.join(', ')} (not wanted: --no-${SKILLS_FLAG})` };
}
