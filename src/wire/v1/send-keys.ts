import * as z from 'zod';
import { messageOf } from '../../base/index.ts';
import { DIALOG_AFTERS, type FieldProblem, limit, parseKeySequence } from '../../domain/index.ts';
import { about, bounded, name, notBlank, oneLine, rules, strict } from '../fields.ts';
import { ours } from '../source/ours.ts';

/** Refuses unknown keys when the sequence is accepted, not only when it is sent. */
export function keyProblems(sequence: string, escapeSpecialKeys: boolean, path: string[]): FieldProblem[] {
  // The field itself refuses an empty or too long sequence.
  if (sequence.trim() === '' || sequence.length > limit('keysLength')) return [];
  try {
    parseKeySequence(sequence, escapeSpecialKeys);
    return [];
  } catch (error) {
    return [{ path, message: messageOf(error).replace(/^sequence /, '') }];
  }
}

/** Body of `POST /v1/control/send-keys`. It has no schema_version. */
export const sendKeysBody = name(
  'SendKeysBody',
  rules(
    strict({
      // Each key is typed on its own: more of them would hold the terminal for minutes.
      sequence: bounded(
        'keysLength',
        notBlank,
        'Text and exact `<[key-name]>` tokens, typed from left to right. No Enter is added.',
      ),
      escape_special_keys: about('Type the whole sequence as text.', z.boolean().default(false)),
      expected_dialog: about(
        'Type only into this dialog: its `hash` in `GET /v1/control/tui/screen`. With another dialog or none at the instant of typing, the keys are refused.',
        oneLine.max(100).nullish(),
      ),
    }),
    (body) => keyProblems(body.sequence, body.escape_special_keys, ['sequence']),
  ),
);

export const controlResult = name(
  'ControlResult',
  strict({
    status: z.literal('ok'),
    action: z.enum(['control_input', 'interrupt']),
    detail: z.string(),
    dialog_after: ours(
      about(
        'What was seen after keys that were sent while a dialog was open; absent when none was. It does not prove which dialog received them: a tool can open another in the instant before.',
        z.enum(DIALOG_AFTERS).optional(),
      ),
    ),
  }),
);

export type SendKeysBody = z.infer<typeof sendKeysBody>;
export type SendKeysInput = z.input<typeof sendKeysBody>;
export type ControlResult = z.infer<typeof controlResult>;
