import { COMMS_SKILL, PROCESS_SKILL } from '../../wire/houmao/index.ts';

/** The skills that come with Rouse: they teach an agent to handle its mail. */
export const MAIL_SKILLS = [PROCESS_SKILL, COMMS_SKILL] as const;
export type MailSkill = (typeof MAIL_SKILLS)[number];
