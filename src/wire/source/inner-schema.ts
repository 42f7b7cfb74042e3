import type * as z from 'zod';

/** What a wrapper wraps: optional, nullable, default, a transformation, a later look. Undefined of what is no wrapper. */
export function innerSchema(schema: z.ZodType): z.ZodType | undefined {
  const {
    innerType,
    in: input,
    getter,
  } = schema._zod.def as {
    innerType?: z.ZodType;
    in?: z.ZodType;
    getter?: () => z.ZodType;
  };
  return innerType ?? input ?? getter?.();
}
