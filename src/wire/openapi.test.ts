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

  it('matches the file on disk, which node scripts/openapi.mjs writes', () => {
    expect(JSON.parse(stored(`openapi/${name}.json`))).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('lists every route once, with a unique id', () => {
    expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
      routes.map((route) => `${route.method} ${route.path}`).sort(),
    );
    expect(new Set(routes.map((route) => route.id)).size).toBe(routes.length);
  });

  it('describes each group of routes', () => {
    const described = new Set(document.tags.map((tag) => tag.name));
    expect(operations.flatMap(({ tags }) => tags).filter((tag) => !described.has(tag))).toEqual([]);
  });

  it('each contract has no dangling reference and no unused schema', () => {
    const known = Object.keys(document.components.schemas).map((id) => `#/components/schemas/${id}`);
    const used = new Set(everyRef(document));
    expect([...used].filter((ref) => !known.includes(ref))).toEqual([]);
    expect(known.filter((ref) => !used.has(ref))).toEqual([]);
  });

  it('declares each parameter of a path', () => {
    for (const { path, parameters = [] } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect(parameters.filter((each) => each.in === 'path').map((each) => each.name)).toEqual(inPath);
    }
  });

  it('each contract refuses unknown fields in every object', () => {
    const open = (value: unknown): boolean => {
      if (value === null || typeof value !== 'object') return false;
      const schema = value as { type?: unknown; properties?: unknown; additionalProperties?: unknown };
      if (schema.type === 'object' && schema.properties && schema.additionalProperties !== false) return true;
      return Object.values(value).some(open);
    };
    expect(Object.entries(document.components.schemas).filter(([, schema]) => open(schema))).toEqual([]);
  });

  it('documents the response of success and of each refusal', () => {
    for (const { responses } of operations)
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '500']));
    for (const { responses } of operations)
      expect(Object.keys(responses).filter((status) => status < '300').length).toBeGreaterThan(0);
  });

  it('documents exactly the streams as text/event-stream, with the schema of their events', () => {
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

it('every named schema is in one of the OpenAPI documents', () => {
  const shown = new Set([gateway, fleet].flatMap((each) => Object.keys(each.components.schemas)));
  const ids = Object.keys(z.toJSONSchema(named, { metadata: named, io: 'input' }).schemas);
  expect(ids.filter((id) => !shown.has(id))).toEqual([]);
});

it('the error for a token without a mailbox is the documented one', () => {
  expect(fleet.paths['/mailbox/status']!['get']!.responses).toHaveProperty('422');
});

describe('docs/environment.md', () => {
  it('matches the table of variables', () => {
    expect(stored('environment.md')).toBe(environmentMarkdown());
  });

  it('docs/environment.md has every variable that the sources name', () => {
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

  it('docs/environment.md has each variable once, with a description', () => {
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
])('the OpenAPI document of the %s', (_, { paths }) => {
  it('lists the errors of the guard on every route, and 415 and X-Rouse on every POST', () => {
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

  it('each contract has a body for every POST, which may be one without fields: no field is ignored silently', () => {
    const without = Object.entries(paths)
      .filter(([, { post }]) => post && !('requestBody' in post))
      .map(([path]) => path);
    expect(without).toEqual([]);
  });
});
