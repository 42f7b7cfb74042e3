import * as z from 'zod';
import { CHAT_SESSION_MODES, limitSentence } from '../../domain/index.ts';
import { about, argument, count, name, names, notBlank, rules, strict } from '../fields.ts';

/** A headless tool reads it from a file; what goes into a terminal is typed, and refused when it is longer than that takes. */
export const promptText = about(`Of an agent in a terminal: ${limitSentence('typedBytes')}`, notBlank);

/** Which provider conversation a prompt goes to. */
export const chatSession = name(
  'ChatSession',
  rules(
    strict({
      mode: z.enum(CHAT_SESSION_MODES),
      id: names(
        'argument',
        'prompter',
        about('Required for `exact`, refused otherwise.', argument.max(1000).nullish()),
      ),
    }),
    ({ mode, id }) => {
      if (mode === 'exact' && id == null)
        return [{ path: ['id'], message: 'is required when mode is "exact"' }];
      if (mode !== 'exact' && id != null)
        return [{ path: ['id'], message: 'must be absent unless mode is "exact"' }];
      return [];
    },
  ),
);

/** Another model or reasoning level for one prompt; headless targets only. */
export const executionOverride = name(
  'ExecutionOverride',
  strict({
    model: rules(
      strict({
        name: names('argument', 'prompter', argument.max(200).nullish()),
        reasoning: strict({ level: count }).nullish(),
      }),
      ({ name: model, reasoning }) =>
        model == null && reasoning == null
          ? [{ path: [], message: 'set at least one of name or reasoning' }]
          : [],
    ),
  }),
);

export type ChatSession = z.infer<typeof chatSession>;
export type ExecutionOverride = z.infer<typeof executionOverride>;
