import * as z from 'zod';
import { ADMISSION, EXECUTION } from '../../domain/index.ts';
import { about, count, name, schemaVersion, strict } from '../fields.ts';

/** Response of `GET /v1/control/headless/state`. */
export const headlessState = name(
  'HeadlessState',
  strict({
    schema_version: z.literal(1),
    runtime_resumable: z.boolean(),
    tmux_session_live: z.boolean(),
    can_accept_prompt_now: z.boolean(),
    interruptible: z.boolean(),
    chat_session: strict({
      current: strict({ id: z.string() }).nullable(),
      startup_default: strict({
        mode: z.enum(['new', 'tool_last_or_new', 'exact']),
        id: z.string().nullish(),
      }),
      next_prompt_override: strict({ mode: z.literal('new') }).nullable(),
    }),
    request_admission: z.enum(ADMISSION),
    active_execution: z.enum(EXECUTION),
    queue_depth: count,
    active_turn_id: z.string().nullish(),
  }),
);

/** Body of `POST /v1/control/headless/next-prompt-session`. */
export const nextPromptSessionBody = name(
  'NextPromptSessionBody',
  strict({
    schema_version: schemaVersion(1),
    mode: about(
      'The next direct prompt without a chat session of its own starts a new one.',
      z.literal('new'),
    ),
  }),
);

export type HeadlessState = z.infer<typeof headlessState>;
export type NextPromptSessionBody = z.infer<typeof nextPromptSessionBody>;
