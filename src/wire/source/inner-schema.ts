import type * as z from 'zod';

/** The schema inside a wrapper: optional, nullable, default, transform, lazy. Undefined when it is not a wrapper. */
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
