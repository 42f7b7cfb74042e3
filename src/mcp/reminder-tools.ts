import * as z from 'zod';
import { codesOf, LIMITS, MISSED_POLICIES, rankingAfterAll } from '../domain/index.ts';
import { reminderDeleted, reminderSet } from '../wire/index.ts';
import { tool, withoutUndefined } from './tool.ts';

/** Prompts only: an agent that could have keys typed for it could answer its own permission dialogs. */
export const REMINDER_TOOLS = [
  tool({
    name: 'list_reminders',
    title: 'Your reminders',
    description:
      'The reminders of your gateway in ranking order. Only the first is ever delivered; the others wait behind it.',
    input: {},
    output: reminderSet,
    readOnly: true,
    run: async (_, { reminders }) => (await reminders()).list(),
  }),
  tool({
    name: 'create_reminder',
    title: 'Have yourself prompted later',
    description:
      'Has a prompt sent to you later, once or repeatedly. Say when with one of start_after_seconds, deliver_at_utc ' +
      'or cron; with interval_seconds or cron it repeats. It ends with the gateway, unless durable.',
    input: {
      title: z.string().max(1000).describe('For people; never sent.'),
      prompt: z.string().max(LIMITS.bodyBytes.standard).describe('The prompt you will get.'),
      start_after_seconds: z.number().positive().optional(),
      deliver_at_utc: z.string().max(64).optional().describe('Such as 2026-01-31T08:00:00Z.'),
      interval_seconds: z.number().positive().optional().describe('Seconds until it repeats.'),
      cron: z.string().max(1000).optional().describe('Such as "0 9 * * 1-5".'),
      time_zone: z.string().max(100).optional().describe('For cron, such as Europe/Zurich. Default UTC.'),
      ranking: z.int().optional().describe('The smallest leads. Default: behind all others.'),
      durable: z.boolean().optional().describe('Survives a restart of the gateway; needs missed.'),
      missed: z
        .enum(codesOf(MISSED_POLICIES))
        .optional()
        .describe(
          'For durable reminders: what to do about due times that passed while the gateway was down.',
        ),
    },
    output: reminderSet,
    run: async ({ ranking, ...wanted }, { reminders }) => {
      const book = await reminders();
      const others = ranking === undefined ? (await book.list()).reminders : [];
      const repeats = wanted.interval_seconds !== undefined || wanted.cron !== undefined;
      return book.create({
        ...withoutUndefined(wanted),
        mode: repeats ? 'repeat' : 'one_off',
        ranking: ranking ?? rankingAfterAll(others.map((each) => each.ranking)),
      });
    },
  }),
  tool({
    name: 'delete_reminder',
    title: 'Remove a reminder',
    description: 'Removes a reminder. A delivery that has begun is completed first.',
    input: { reminder_id: z.string().max(200) },
    output: reminderDeleted,
    destructive: true,
    run: async ({ reminder_id }, { reminders }) => (await reminders()).remove(reminder_id),
  }),
];
