import * as z from 'zod';
import { type FieldSender, markOf, type NamedThing } from '../../domain/schemas.ts';
import { innerSchema } from '../source/inner-schema.ts';
import { PLAIN_FIELDS } from './plain-fields.ts';

/** A field that names a file, a directory, a command or a URL, or that is not yet known to be harmless. */
export interface NamedField {
  /** `attachments[].path`. */
  field: string;
  /** Undefined: not yet declared what it names and who may set it. */
  mark: { names: NamedThing; sender: FieldSender } | undefined;
}

/** Endings of field names that may name something outside of Rouse. */
const LOOKS_LIKE =
  /(^|_)(paths?|files?|filename|dirs?|directory|root|cwd|home|socket|command|cmd|args?|argv|executable|program|binary|tool|script|hook|ur[il]s?|endpoint|callback|webhook|href|link|locator|location|place|env|environment|model)$/i;

/** Whether a field with this name may name something. */
export type MayName = (field: string) => boolean;

/** For files that Rouse writes itself, and for keys whose kind is known. */
export const looksNamed: MayName = (field) => LOOKS_LIKE.test(field);

/** For input from others: every field that is not on the list of plain ones. */
export const isNotPlain: MayName = (field) => !PLAIN_FIELDS.has(field);

const THINGS: readonly (readonly [RegExp, NamedThing])[] = [
  [/ur[il]s?$|endpoint|callback|webhook|href/i, 'url'],
  [/tool$|executable|program|command|cmd$|binary|(^|_)script|hook/i, 'command'],
  [/args?$|\[\]$|argv|model/i, 'argument'],
  [/file$/i, 'file'],
  [/env(ironment)?$/i, 'environment'],
  [/dirs?$|directory$|root$|home|cwd$/i, 'directory'],
];

/** What a field names, judged by its own name. */
export function thingOf(field: string): NamedThing {
  return THINGS.find(([looks]) => looks.test(field))?.[1] ?? 'file';
}

/** Every such field of a schema, at any depth. Fields without text name nothing. */
export function namedFields(schema: z.ZodType, mayName: MayName): NamedField[] {
  return [...walk(schema, { at: '', name: '', seen: new Set(), mayName })];
}

interface Where {
  at: string;
  /** Name of the nearest field above. */
  name: string;
  seen: ReadonlySet<z.ZodType>;
  mayName: MayName;
}

function* walk(schema: z.ZodType, where: Where): Generator<NamedField> {
  if (where.seen.has(schema)) return;
  const inside = { ...where, seen: new Set([...where.seen, schema]) };
  const mark = markOf(schema);
  if (mark) {
    yield { field: where.at, mark };
    return;
  }
  const inner = innerSchema(schema);
  if (inner) {
    yield* walk(inner, inside);
    return;
  }
  if (schema instanceof z.ZodObject) {
    for (const [name, each] of Object.entries(schema.shape))
      yield* walk(each as z.ZodType, { ...inside, at: below(where.at, name), name });
    // Fields without a declared name may hold anything.
    const others = schema._zod.def.catchall as z.ZodType | undefined;
    if (others) yield* walk(others, { ...inside, at: below(where.at, '*'), name: '*' });
    return;
  }
  if (schema instanceof z.ZodArray) {
    yield* walk(schema.element as z.ZodType, { ...inside, at: `${where.at}[]` });
    return;
  }
  if (schema instanceof z.ZodUnion) {
    const found = schema.options.flatMap((each) => [...walk(each as z.ZodType, inside)]);
    yield* found.filter(({ field }, n) => found.findIndex((other) => other.field === field) === n);
    return;
  }
  if (holdsText(schema) && where.mayName(where.name)) yield { field: where.at, mark: undefined };
}

const below = (at: string, name: string): string => (at ? `${at}.${name}` : name);

const WITHOUT_TEXT = new Set([
  'number',
  'boolean',
  'enum',
  'literal',
  'null',
  'undefined',
  'never',
  'bigint',
  'date',
]);

/** Whether text can pass through it; numbers, flags and fixed words do not let any through. */
const holdsText = (schema: z.ZodType): boolean => !WITHOUT_TEXT.has(schema._zod.def.type);
