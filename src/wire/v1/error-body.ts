import * as z from 'zod';
import { ERROR_CODES } from '../../base/index.ts';
import { about, integer, name, strict } from '../fields.ts';
import { ours } from '../source/ours.ts';
import { promptRefused } from './control-prompt.ts';

const bodyIssue = name(
  'BodyIssue',
  strict({
    type: z.string(),
    loc: z.array(z.union([z.string(), integer])),
    msg: z.string(),
    input: about('The value, shortened.', z.unknown()),
  }),
);

/** Every response that is not a success. */
export const errorBody = name(
  'ErrorBody',
  strict({
    detail: about(
      'A sentence, the list of field issues, or the refusal of a prompt.',
      z.union([z.string(), z.array(bodyIssue), promptRefused]),
    ),
    error: ours(
      strict({
        code: z.enum(ERROR_CODES),
        message: z.string(),
        hint: z.string().optional(),
        facts: z.record(z.string(), z.unknown()).optional(),
      }).optional(),
    ),
  }),
);
