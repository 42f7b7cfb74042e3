import * as z from 'zod';
import type { RouseError } from '../../base/index.ts';
import {
  ADMISSION_POLICIES,
  type AdmissionPolicy,
  type FieldProblem,
  REQUEST_OUTCOMES,
} from '../../domain/index.ts';
import { type RefusalName, refusal } from '../codes.ts';
import { about, name, oneOf, rules, strict } from '../fields.ts';
import { allOurs } from '../source/ours.ts';
import { chatSession, executionOverride, promptText } from './prompt-options.ts';

const shape = strict({
  schema_version: about(
    '1 has `force`, 2 has `admission_policy`; absent: that of the field used.',
    z.literal([1, 2]).optional(),
  ),
  prompt: promptText,
  force: z.boolean().optional(),
  admission_policy: z.enum(ADMISSION_POLICIES).optional(),
  chat_session: chatSession.nullish(),
  execution: executionOverride.nullish(),
});

/** Body of `POST /v1/control/prompt`, in both of its dialects. */
export const controlPromptBody = name('ControlPromptBody', rules(shape, dialectProblems));

export type ControlPromptBody = z.infer<typeof controlPromptBody>;
export type ControlPromptInput = z.input<typeof controlPromptBody>;

function dialectProblems(body: z.infer<typeof shape>): FieldProblem[] {
  if (body.force !== undefined && body.admission_policy !== undefined) {
    return [{ path: ['admission_policy'], message: 'set at most one of force or admission_policy' }];
  }
  if (body.schema_version === 2 && body.force !== undefined) {
    return [{ path: ['force'], message: 'is of schema_version 1; use admission_policy "always"' }];
  }
  if (body.schema_version === 1 && body.admission_policy !== undefined) {
    return [{ path: ['admission_policy'], message: 'is of schema_version 2; use force' }];
  }
  return [];
}

/** The admission that a body of either dialect asks for; the response uses the same dialect. */
export interface PromptAdmission {
  dialect: 1 | 2;
  policy: AdmissionPolicy;
}

export function promptAdmission(body: ControlPromptBody): PromptAdmission {
  const dialect = body.schema_version ?? (body.admission_policy === undefined ? 1 : 2);
  return { dialect, policy: body.admission_policy ?? (body.force ? 'always' : 'ready_only') };
}

type Echo = { forced: boolean } | { admission_policy: AdmissionPolicy };

function echo({ dialect, policy }: PromptAdmission): Echo {
  return dialect === 1 ? { forced: policy === 'always' } : { admission_policy: policy };
}

const outcome = {
  action: z.literal('submit_prompt'),
  forced: about('Schema version 1.', z.boolean().optional()),
  admission_policy: about('Schema version 2.', z.enum(ADMISSION_POLICIES).optional()),
  detail: z.string(),
};

export const promptResult = name(
  'PromptResult',
  strict({
    ...outcome,
    status: z.literal('ok'),
    sent: z.literal(true),
    ...allOurs({
      turn_id: about('The headless turn that was started.', z.string().optional()),
      evidence: about(
        'What proves that the prompt was submitted.',
        z.record(z.string(), z.unknown()).optional(),
      ),
    }),
  }),
);

export const promptRefused = name(
  'PromptRefused',
  strict({
    ...outcome,
    status: z.literal('error'),
    sent: z.literal(false),
    error_code: z.string(),
    ...allOurs({
      reasons: z.array(z.string()).optional(),
      outcome: about('How the attempt ended, if there was one.', oneOf(REQUEST_OUTCOMES).optional()),
      request_id: about('The request whose ledger holds the evidence.', z.string().optional()),
    }),
  }),
);

export type PromptResult = z.infer<typeof promptResult>;
export type PromptRefused = z.infer<typeof promptRefused>;

export function promptSent(
  admission: PromptAdmission,
  extras: { turn_id?: string; evidence?: Record<string, unknown> } = {},
): PromptResult {
  return {
    status: 'ok',
    action: 'submit_prompt',
    sent: true,
    ...echo(admission),
    detail: 'Prompt dispatched.',
    ...extras,
  };
}

/** The refusal of a direct prompt; its structured object is sent as `detail`. */
export function promptRefusal(
  admission: PromptAdmission,
  error_code: RefusalName,
  message: string,
  reasons?: string[],
  attempt?: Pick<PromptRefused, 'outcome' | 'request_id'>,
): RouseError {
  const detail: PromptRefused = {
    status: 'error',
    action: 'submit_prompt',
    sent: false,
    ...echo(admission),
    error_code,
    detail: message,
    ...(reasons && { reasons }),
    ...attempt,
  };
  return refusal(error_code, message, { facts: { detail, ...(reasons && { reasons }) } });
}
