import * as z from 'zod';
import { about, name, stamp, strict } from '../fields.ts';

const waitEdge = name(
  'WaitEdge',
  strict({
    waiter: about('Who waits: a mail address, or the id of an agent.', z.string()),
    whom: about('Whose answer it waits for.', z.string()),
    waiter_name: z.string().optional(),
    whom_name: z.string().optional(),
    kind: z.enum(['mail', 'request', 'task']),
    ref: about('The message, request or task.', z.string()),
    subject: z.string(),
    since_utc: stamp,
    by_utc: about('When the answer is needed.', stamp.nullable()),
  }),
);

export const waitsView = name(
  'Waits',
  strict({
    schema_version: z.literal(1),
    now_utc: stamp,
    waits: about('The oldest first.', z.array(waitEdge)),
    mutual: about(
      'Groups whose members wait for each other, directly or through others.',
      z.array(z.array(z.string())),
    ),
    overdue: about('References of the waits whose answer is late.', z.array(z.string())),
  }),
);

export type WaitsView = z.infer<typeof waitsView>;
