import { GATEWAY_TARGET_FLAGS } from '../agents/target.ts';
import type { Flag, InputOf } from '../command.ts';
import { FLEET_FLAGS } from '../fleet/access.ts';

export const ANSWER_FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  { name: 'note', value: 'TEXT', summary: 'of a request: a closing note, kept with the answer' },
  ...FLEET_FLAGS,
] as const satisfies readonly Flag[];

export type AnswerInput = InputOf<typeof ANSWER_FLAGS>;
