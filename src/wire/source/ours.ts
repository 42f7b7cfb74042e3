import * as z from 'zod';

/**
 * Marks for our own fields. The source is the system whose contract this is (Houmao 0.7.1); its clients refuse unknown fields.
 * Each field and value that we added is marked where it is declared. `ROUSE_WIRE=houmao` leaves these fields out and replaces
 * these values by the source's; docs/compatibility.md is generated from the marks.
 */
interface Mark {
  /** The field is ours. */
  field?: true;
  /** These values of it are ours, each with the value of the source. */
  values?: Readonly<Record<string, string>>;
}

const marks = z.registry<Mark>();

const marked = <S extends z.ZodType>(schema: S, mark: Mark): S =>
  // A copy, because schemas such as `stamp` are used in many places.
  (schema.clone() as z.ZodType).register(marks, mark) as S;

/** A field that the source's model does not have. The mark goes outside of `optional` and `nullable`. */
export const ours = <S extends z.ZodType>(schema: S): S => marked(schema, { field: true });

/** The same for every field of a shape. */
export function allOurs<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape): Shape {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, ours(schema)])) as never;
}

/** A field of the source with values that the source does not have. */
export const ourValues = <S extends z.ZodType>(values: Readonly<Record<string, string>>, schema: S): S =>
  marked(schema, { values });

export const isOurs = (schema: z.ZodType): boolean => marks.get(schema)?.field === true;

export const valuesOfOurs = (schema: z.ZodType): Mark['values'] => marks.get(schema)?.values;
