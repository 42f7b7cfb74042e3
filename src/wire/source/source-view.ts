import * as z from 'zod';
import { invalid } from '../../base/index.ts';
import { innerSchema } from './inner-schema.ts';
import { isOurs, valuesOfOurs } from './ours.ts';

/** Converts JSON to what the source would have written. */
export type SourceView = (value: unknown) => unknown;

/**
 * What a client of the source may see of a response: only fields that are declared and not marked, and for our values those
 * of the source. Undeclared fields of an object count as ours.
 */
export function sourceView(schema: z.ZodType): SourceView {
  const values = valuesOfOurs(schema);
  if (values) return (value) => (typeof value === 'string' ? (values[value] ?? value) : value);
  const inner = innerSchema(schema);
  if (inner) return sourceView(inner);
  if (schema instanceof z.ZodObject) return ofObject(schema);
  if (schema instanceof z.ZodUnion) return ofUnion(schema.options as z.ZodType[]);
  if (!(schema instanceof z.ZodArray)) return (value) => value;
  const element = sourceView(schema.element as z.ZodType);
  return (value) => (Array.isArray(value) ? value.map(element) : value);
}

/** The other half: of each object the fields that are marked, where they have a value. Undefined where there are none. */
export function ourPart(schema: z.ZodType, value: unknown): Record<string, unknown> | undefined {
  const inner = innerSchema(schema);
  if (inner) return ourPart(inner, value);
  if (!(schema instanceof z.ZodObject) || value === null || typeof value !== 'object') return undefined;
  const parts = Object.entries(schema.shape).flatMap(([name, each]) => {
    const own = (value as Record<string, unknown>)[name] ?? undefined;
    const part = isOurs(each as z.ZodType) ? own : ourPart(each as z.ZodType, own);
    return part === undefined ? [] : [[name, part]];
  });
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}

function ofObject({ shape }: z.ZodObject): SourceView {
  const views = new Map(
    Object.entries(shape)
      .filter(([, each]) => !isOurs(each as z.ZodType))
      .map(([name, each]) => [name, sourceView(each as z.ZodType)]),
  );
  return (value) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, each]) => {
        const view = views.get(name);
        return view ? [[name, view(each)]] : [];
      }),
    );
  };
}

function ofUnion(options: readonly z.ZodType[]): SourceView {
  const views = options.map((option) => ({ option, view: sourceView(option) }));
  return (value) => {
    const fits = views.find(({ option }) => option.safeParse(value).success);
    return fits ? fits.view(value) : value;
  };
}

/** Which fields the responses of a server have: all of ours, or only those that clients of Houmao know. */
export const WIRE_MODES = ['rouse', 'houmao'] as const;
export type WireMode = (typeof WIRE_MODES)[number];

/** `ROUSE_WIRE` of the environment that a server was started with. */
export function wireMode(env: NodeJS.ProcessEnv): WireMode {
  const wanted = env['ROUSE_WIRE'] || 'rouse';
  const mode = WIRE_MODES.find((each) => each === wanted);
  if (mode) return mode;
  throw invalid(`ROUSE_WIRE must be "rouse" or "houmao", but is "${wanted.slice(0, 40)}"`);
}
