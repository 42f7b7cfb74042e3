import * as z from 'zod';
import { CHAT_SESSION_MODES, limitSentence } from '../../domain/index.ts';
import { about, argument, count, name, names, notBlank, rules, strict } from '../fields.ts';

/** A headless tool reads the prompt from a file. Into a terminal it is typed, so it is refused when it is too long for that. */
export const promptText = about(`For an agent in a terminal: ${limitSentence('typedBytes')}`, notBlank);

/** The conversation of the tool that a prompt goes to. */
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

/** Another model or reasoning level for one prompt; for headless agents only. */
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
