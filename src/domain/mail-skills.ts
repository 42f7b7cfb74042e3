/** The skills that come with Rouse: how an agent is told to handle its mail. */
export const PROCESS_SKILL = 'houmao-process-emails-via-gateway';
export const COMMS_SKILL = 'houmao-agent-email-comms';
export const MAIL_SKILLS = [PROCESS_SKILL, COMMS_SKILL] as const;
export type MailSkill = (typeof MAIL_SKILLS)[number];
