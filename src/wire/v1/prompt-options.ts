import * as z from 'zod';
import { CHAT_SESSION_MODES } from '../../domain/index.ts';
import { about, count, name, notBlank, rules, strict, trimmed } from '../fields.ts';

/** Which provider conversation a prompt goes to. */
export const chatSession = name(
  'ChatSession',
  rules(
    strict({
      mode: z.enum(CHAT_SESSION_MODES),
      id: about('Required for `exact`, refused otherwise.', notBlank.nullish()),
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
      strict({ name: trimmed.nullish(), reasoning: strict({ level: count }).nullish() }),
      ({ name: model, reasoning }) =>
        model == null && reasoning == null
          ? [{ path: [], message: 'set at least one of name or reasoning' }]
          : [],
    ),
  }),
);

export type ChatSession = z.infer<typeof chatSession>;
export type ExecutionOverride = z.infer<typeof executionOverride>;
