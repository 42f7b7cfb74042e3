import { z } from 'zod';
import { utcSeconds } from '../base/index.ts';
import { INBOX, parseBoxName } from './mail-box.ts';
import { parseUtcTime } from './utc-time.ts';

export const READ_STATES = ['any', 'read', 'unread'] as const;
export const ANSWERED_STATES = ['any', 'answered', 'unanswered'] as const;

const boxSchema = z.string().transform((text, context) => {
  try {
    return parseBoxName(text);
  } catch (error) {
    context.addIssue((error as Error).message.replace(/^box /, ''));
    return z.NEVER;
  }
});

const instantSchema = z
  .string()
  .refine(
    (text) => parseUtcTime(text) !== undefined,
    'must be an ISO-8601 time such as 2026-01-31T12:00:00Z, or a date',
  );

const limitSchema = z.int().min(1).nullish();

/** Which messages of one box. Newest first; `cursor` continues where the page before ended. */
export const mailQuerySchema = z.strictObject({
  box: boxSchema.default(INBOX),
  read_state: z.enum(READ_STATES).default('any'),
  answered_state: z.enum(ANSWERED_STATES).default('any'),
  /** null: archived or not. */
  archived: z.boolean().nullish(),
  limit: limitSchema,
  /** Inclusive lower bound of created_at_utc. */
  since: instantSchema.nullish(),
  include_body: z.boolean().default(false),
  cursor: z.string().nullish(),
});
export type MailQuery = z.output<typeof mailQuerySchema>;
export type MailQueryInput = z.input<typeof mailQuerySchema>;

/** Full text over subject and body: all words must occur; "quoted words" must follow each other; word* is a prefix. */
export const mailSearchSchema = z.strictObject({
  text: z
    .string()
    .max(1000)
    .refine((text) => text.trim() !== '', 'must not be blank')
    .refine((text) => !text.includes('\u0000'), 'must not contain U+0000'),
  /** Absent: every box. */
  box: boxSchema.nullish(),
  limit: z.int().min(1).default(50),
  include_body: z.boolean().default(false),
});
export type MailSearch = z.output<typeof mailSearchSchema>;
export type MailSearchInput = z.input<typeof mailSearchSchema>;

/** `since` as the whole seconds messages are stamped with: the first stamp that is not before it. */
export function sinceStamp(since: string): string {
  return utcSeconds(new Date(Math.ceil(parseUtcTime(since)! / 1000) * 1000));
}
