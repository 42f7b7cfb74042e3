import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { TOOLS_OF } from '../../src/mcp/tool-list.ts';
import { FLEET_ROUTES, GATEWAY_ROUTES, type Route } from '../../src/wire/index.ts';

/**
 * Every text, list, map and free JSON that a caller may send in a body has a maximum, in the schema that reads it. Paths and
 * queries are in the request line, which Node bounds.
 */

type Json = Record<string, unknown>;

const asJson = (schema: z.ZodType): Json =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Json;

/** The places in a schema that take a value of any size. */
function unbounded(schema: Json, root: Json, at: string): string[] {
  const inside = (inner: unknown, where: string) => unbounded(inner as Json, root, where);
  const ref = schema['$ref'];
  if (typeof ref === 'string') return [];
  if ('const' in schema || 'enum' in schema || 'not' in schema) return [];
  // Free JSON declares its maximum in bytes.
  if (typeof schema['x-max-bytes'] === 'number') return [];
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (schema[key] as Json[] | undefined) ?? []);
  const holes = parts.flatMap((part) => inside(part, at));
  const types = [schema['type']].flat();
  if (parts.length > 0 && schema['type'] === undefined) return holes;
  if (types[0] === undefined) return [`${at}: any JSON`];
  for (const type of types) {
    if (type === 'string' && typeof schema['maxLength'] !== 'number' && !FIXED.has(String(schema['format'])))
      holes.push(`${at}: a text`);
    if (type === 'array') {
      if (typeof schema['maxItems'] !== 'number') holes.push(`${at}: a list`);
      for (const item of [schema['items'], ...((schema['prefixItems'] as Json[] | undefined) ?? [])])
        if (item) holes.push(...inside(item, `${at}[]`));
    }
    if (type === 'object') holes.push(...inObject(schema, root, at));
  }
  return holes;
}

/** Formats with a fixed length. */
const FIXED = new Set(['uuid']);

function inObject(schema: Json, root: Json, at: string): string[] {
  const fields = Object.entries((schema['properties'] as Json | undefined) ?? {});
  const holes = fields.flatMap(([name, inner]) => unbounded(inner as Json, root, `${at}.${name}`));
  const others = schema['additionalProperties'];
  if (others === false) return holes;
  return [...holes, `${at}: a map, or fields that are not known`];
}

const holesIn = (schema: z.ZodType | undefined, at: string): string[] => {
  if (!schema) return [];
  const json = asJson(schema);
  const defs = Object.entries((json['$defs'] as Json | undefined) ?? {});
  return [
    ...unbounded(json, json, at),
    ...defs.flatMap(([name, inner]) => unbounded(inner as Json, json, `${at} ${name}`)),
  ];
};

describe('whatever a caller may send has a maximum', () => {
  const routes = { ...prefixed('gateway', GATEWAY_ROUTES), ...prefixed('fleet', FLEET_ROUTES) };

  it('everything a caller may send has a maximum in every body of both servers', () => {
    const holes = Object.entries(routes).flatMap(([id, { body }]) => holesIn(body, `${id} body`));
    expect([...new Set(holes)]).toEqual([]);
    expect(Object.values(routes).filter(({ body }) => body).length).toBeGreaterThan(50);
  });

  it('everything a caller may send has a maximum in the input of every tool', () => {
    const tools = Object.values(TOOLS_OF).flat();
    expect(tools.length).toBeGreaterThan(10);
    expect(tools.flatMap(({ name, input }) => holesIn(input, name))).toEqual([]);
  });

  it('a schema that forgets a maximum is found', () => {
    const bad = {
      text: z.string(),
      list: z.array(z.boolean()),
      map: z.record(z.string().max(5), z.boolean()),
      any: z.unknown(),
      deep: z.array(z.strictObject({ text: z.string().nullable() })).max(3),
      loose: z.looseObject({}),
    };
    expect(Object.entries(bad).filter(([name, schema]) => holesIn(schema, name).length === 0)).toEqual([]);
    expect(holesIn(z.strictObject({ id: z.uuid(), n: z.int(), s: z.string().max(3) }), 'good')).toEqual([]);
  });
});

function prefixed(server: string, routes: object): Record<string, Route> {
  return Object.fromEntries(Object.entries(routes).map(([id, route]) => [`${server} ${id}`, route as Route]));
}
