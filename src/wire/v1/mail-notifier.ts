import * as z from 'zod';
import { NOTIFIER_MODES } from '../../domain/index.ts';
import { about, integer, name, schemaVersion, stamp, strict } from '../fields.ts';

/** Body of `PUT /v1/mail-notifier`. Disabling is DELETE. */
export const mailNotifierBody = name(
  'MailNotifierBody',
  strict({
    schema_version: schemaVersion(1),
    enabled: about('Only `true`; disabling is DELETE.', z.literal(true).optional()),
    interval_seconds: integer.positive(),
    mode: about('Omitting it resets it to `any_inbox`.', z.enum(NOTIFIER_MODES).default('any_inbox')),
  }),
);

export const mailNotifierStatus = name(
  'MailNotifierStatus',
  strict({
    schema_version: z.literal(1),
    enabled: z.boolean(),
    interval_seconds: integer.positive().nullable(),
    mode: z.enum(NOTIFIER_MODES),
    supported: z.boolean(),
    support_error: z.string().nullable(),
    last_poll_at_utc: stamp.nullable(),
    last_notification_at_utc: stamp.nullable(),
    last_error: z.string().nullable(),
  }),
);

export type MailNotifierBody = z.infer<typeof mailNotifierBody>;
export type MailNotifierInput = z.input<typeof mailNotifierBody>;
export type MailNotifierStatus = z.infer<typeof mailNotifierStatus>;
