import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { environmentMarkdown, VARIABLES } from './env.ts';
import { openApiDocument } from './openapi.ts';
import { ROUTES } from './routes.ts';

const stored = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const document = openApiDocument() as {
  paths: Record<
    string,
    Record<string, { operationId: string; parameters?: { name: string; in: string }[]; responses: object }>
  >;
  components: { schemas: Record<string, Record<string, unknown>> };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

function everyRef(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  const own = (value as { $ref?: unknown }).$ref;
  return [...(typeof own === 'string' ? [own] : []), ...Object.values(value).flatMap(everyRef)];
}

describe('the OpenAPI document', () => {
  it('on disk is what the schemas say; node scripts/openapi.mjs writes it anew', () => {
    expect(JSON.parse(stored('openapi/gateway.json'))).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('lists every route once, by a unique id', () => {
    expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
      ROUTES.map((route) => `${route.method} ${route.path}`).sort(),
    );
    expect(new Set(ROUTES.map((route) => route.id)).size).toBe(ROUTES.length);
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
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '403', '500']));
  });
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
      expect(name).toMatch(/^(HOUMAO|ROUSE)_[A-Z_]+$/);
      expect(meaning).toMatch(/^[A-Z`].*\.$/);
      expect(environmentMarkdown()).toContain(`| \`${name}\` |`);
    }
  });
});
