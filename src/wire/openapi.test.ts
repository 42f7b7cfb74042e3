import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { environmentMarkdown, VARIABLES } from './env.ts';
import { named } from './fields.ts';
import { FLEET_ROUTES } from './fleet-routes.ts';
import { fleetOpenApiDocument, openApiDocument } from './openapi.ts';
import type { Route } from './route.ts';
import { GATEWAY_ROUTES } from './routes.ts';

const stored = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
interface Document {
  paths: Record<
    string,
    Record<
      string,
      { operationId: string; tags: string[]; parameters?: { name: string; in: string }[]; responses: object }
    >
  >;
  tags: { name: string }[];
  components: { schemas: Record<string, Record<string, unknown>> };
}

const gateway = openApiDocument() as unknown as Document;
const fleet = fleetOpenApiDocument() as unknown as Document;

function everyRef(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  const own = (value as { $ref?: unknown }).$ref;
  return [...(typeof own === 'string' ? [own] : []), ...Object.values(value).flatMap(everyRef)];
}

/** Those that write server-sent events; the other routes are never asked for any. */
const STREAMS = {
  gateway: ['events'],
  fleet: ['a2a.rpc', 'agents.gateway.events', 'requests.events'],
};

const documented = (routes: Readonly<Record<string, Route>>): Route[] =>
  Object.values(routes).filter((route) => route.documented !== false);

describe.each([
  ['gateway', gateway, documented(GATEWAY_ROUTES)],
  ['fleet', fleet, documented(FLEET_ROUTES)],
] as const)('the OpenAPI document of the %s', (name, document, routes) => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );

  it('on disk is what the schemas say; node scripts/openapi.mjs writes it anew', () => {
    expect(JSON.parse(stored(`openapi/${name}.json`))).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('lists every route once, by a unique id', () => {
    expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
      routes.map((route) => `${route.method} ${route.path}`).sort(),
    );
    expect(new Set(routes.map((route) => route.id)).size).toBe(routes.length);
  });

  it('says what each group of routes is', () => {
    const told = new Set(document.tags.map((tag) => tag.name));
    expect(operations.flatMap(({ tags }) => tags).filter((tag) => !told.has(tag))).toEqual([]);
  });

  it('has no reference that leads nowhere and no schema that nothing refers to', () => {
    const known = Object.keys(document.components.schemas).map((id) => `#/components/schemas/${id}`);
    const used = new Set(everyRef(document));
    expect([...used].filter((ref) => !known.includes(ref))).toEqual([]);
    expect(known.filter((ref) => !used.has(ref))).toEqual([]);
  });

  it('declares each parameter that stands in a path', () => {
    for (const { path, parameters = [] } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect(parameters.filter((each) => each.in === 'path').map((each) => each.name)).toEqual(inPath);
    }
  });

  it('refuses unknown fields in every object of ours', () => {
    const open = (value: unknown): boolean => {
      if (value === null || typeof value !== 'object') return false;
      const schema = value as { type?: unknown; properties?: unknown; additionalProperties?: unknown };
      if (schema.type === 'object' && schema.properties && schema.additionalProperties !== false) return true;
      return Object.values(value).some(open);
    };
    expect(Object.entries(document.components.schemas).filter(([, schema]) => open(schema))).toEqual([]);
  });

  it('promises an answer for success and for each refusal', () => {
    for (const { responses } of operations)
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '500']));
    for (const { responses } of operations)
      expect(Object.keys(responses).filter((status) => status < '300').length).toBeGreaterThan(0);
  });

  it('names every stream as text/event-stream, with the schema of its events, and no other route as one', () => {
    const streams = operations.filter(({ responses }) =>
      JSON.stringify(responses).includes('text/event-stream'),
    );
    expect(streams.map(({ operationId }) => operationId).sort()).toEqual(STREAMS[name]);
    for (const { responses } of streams)
      expect(responses).toMatchObject({
        200: {
          content: { 'text/event-stream': { schema: { $ref: expect.stringContaining('#/') } } },
        },
      });
  });
});

it('every schema with a name is in one of the documents', () => {
  const shown = new Set([gateway, fleet].flatMap((each) => Object.keys(each.components.schemas)));
  const ids = Object.keys(z.toJSONSchema(named, { metadata: named, io: 'input' }).schemas);
  expect(ids.filter((id) => !shown.has(id))).toEqual([]);
});

it('a token whose holder has no mailbox is refused in the documented words', () => {
  expect(fleet.paths['/mailbox/status']!['get']!.responses).toHaveProperty('422');
});

describe('the environment', () => {
  it('page on disk is what the table says', () => {
    expect(stored('environment.md')).toBe(environmentMarkdown());
  });

  it('table holds every variable the sources name', () => {
    const source = new URL('../', import.meta.url);
    const used = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap(
        (file) =>
          readFileSync(new URL(file, source), 'utf8').match(/(?<=')(HOUMAO|ROUSE)_[A-Z_]+(?=')/g) ?? [],
      );
    const known = new Set<string>(VARIABLES.map((variable) => variable.name));
    expect(used.length).toBeGreaterThan(0);
    expect([...new Set(used)].filter((name) => !known.has(name))).toEqual([]);
  });

  it('names each variable once, with a sentence', () => {
    const names = VARIABLES.map((variable) => variable.name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, meaning } of VARIABLES) {
      expect(name).toMatch(/^[A-Z][A-Z_]+$/);
      expect(meaning).toMatch(/^[A-Z`].*\.$/);
      expect(environmentMarkdown()).toContain(`| \`${name}\` |`);
    }
  });
});

describe.each([
  ['gateway', gateway],
  ['fleet', fleet],
])('the document of the %s', (_, { paths }) => {
  it('names what the door may answer on every route, and on every POST also 415 and X-Rouse', () => {
    const lacking = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses, parameters = [] }]) => {
        const statuses = ['400', '401', '403', '503', ...(method === 'post' ? ['415'] : [])];
        const missing = statuses.filter((status) => !(status in responses));
        if (method === 'post' && !parameters.some(({ name }) => name === 'X-Rouse')) missing.push('X-Rouse');
        return missing.map((each) => `${method} ${path}: ${each}`);
      }),
    );
    expect(lacking).toEqual([]);
  });
});
