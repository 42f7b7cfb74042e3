import * as z from 'zod';
import { named } from './fields.ts';
import { BODY_ERRORS, COMMON_ERRORS, ROUTES, type Route } from './routes.ts';
import { errorBody } from './v1/error-body.ts';

type Json = Record<string, unknown>;

const TAGS: Record<string, string> = {
  gateway: 'The gateway itself.',
  requests: 'The durable queue: accepted is not yet typed.',
  control: 'Direct control: now or refused.',
  reminders: 'The ranked set of live reminders.',
  mail: "The agent's mailbox.",
  notifier: 'Waking the agent when mail waits.',
};

/** The OpenAPI 3.1 document of a gateway, made from ROUTES and the schemas they name. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const route of ROUTES) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Rouse gateway',
      version: 'v1',
      description:
        'The HTTP surface of the gateway beside one agent. Unknown fields are refused, nothing is coerced.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: 'http://127.0.0.1:{port}',
        variables: { port: { default: '0', description: 'See state.json.' } },
      },
    ],
    security: [{}, { bearer: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components(),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'Required when the gateway is bound wider than loopback.',
        },
      },
    },
  };
}

function operation(route: Route): Json {
  const errors = {
    ...COMMON_ERRORS,
    ...(route.body && BODY_ERRORS),
    ...(route.query && { 422: 'A parameter is not allowed.' }),
    ...route.errors,
  };
  const parameters = [...pathParameters(route.path), ...queryParameters(route.query)];
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: { required: true, content: json(route.body) } }),
    responses: {
      200: { description: 'Done.', content: json(route.response) },
      ...Object.fromEntries(
        Object.entries(errors).map(([status, description]) => [
          status,
          { description, content: json(errorBody) },
        ]),
      ),
    },
  };
}

const json = (schema: z.ZodType): Json => ({ 'application/json': { schema: { $ref: refOf(schema) } } });

function refOf(schema: z.ZodType): string {
  const id = named.get(schema)?.id;
  if (id === undefined) throw new Error('a body or response of a route needs a name');
  return reference(id);
}

const reference = (id: string): string => `#/components/schemas/${id}`;

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodObject | undefined): Json[] {
  if (!query) return [];
  const { properties = {} } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function components(): Json {
  const { schemas } = z.toJSONSchema(named, { io: 'input', uri: reference, metadata: named });
  const bare = Object.entries(schemas).map(
    ([id, { $id: _, $schema: __, ...schema }]) => [id, schema] as const,
  );
  return Object.fromEntries(bare.sort(([a], [b]) => (a < b ? -1 : 1)));
}
