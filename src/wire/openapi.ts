import * as z from 'zod';
import { limitSentence } from '../domain/index.ts';
import { named } from './fields.ts';
import { FLEET_ERRORS, FLEET_ROUTES, FLEET_TAGS } from './fleet-routes.ts';
import { BODY_ERRORS, POST_ERRORS, POST_HEADERS, type Route, type Routes } from './route.ts';
import { COMMON_ERRORS, GATEWAY_ROUTES } from './routes.ts';
import { errorBody } from './v1/error-body.ts';

type Json = Record<string, unknown>;

/** The parts of a server's document. */
interface Server {
  title: string;
  description: string;
  routes: Routes;
  /** Errors of every route. */
  errors: Readonly<Record<number, string>>;
  tags: Readonly<Record<string, string>>;
  port: { default: string; description: string };
  security: Json[];
  bearer: string;
}

const GATEWAY: Server = {
  title: 'Rouse gateway',
  description:
    'The HTTP API of the gateway beside one agent. Unknown fields are refused, nothing is coerced.',
  routes: GATEWAY_ROUTES,
  errors: COMMON_ERRORS,
  tags: {
    gateway: 'The gateway itself.',
    requests: 'The durable queue: an accepted request is not typed yet.',
    control: 'Direct control: done now or refused.',
    reminders: 'The ranked set of live reminders.',
    mail: "The agent's mailbox.",
    notifier: 'Waking the agent for mail.',
  },
  port: { default: '0', description: 'See state.json.' },
  security: [{}, { bearer: [] }],
  bearer: 'Required when the gateway is bound wider than loopback.',
};

const FLEET: Server = {
  title: 'Rouse fleet server',
  description:
    'The HTTP API of the server of many agents. The token alone identifies the caller, who sees only its own org.',
  routes: FLEET_ROUTES,
  errors: FLEET_ERRORS,
  tags: FLEET_TAGS,
  port: { default: '9889', description: 'See server/current-instance.json.' },
  security: [{ bearer: [] }],
  bearer: 'A token made by `rouse tokens create --kind user --subject NAME` or by registering an agent.',
};

/** The OpenAPI 3.1 document of a gateway, made from GATEWAY_ROUTES and their schemas. */
export const openApiDocument = (): Json => documentOf(GATEWAY);

/** The same for the fleet server, from FLEET_ROUTES. */
export const fleetOpenApiDocument = (): Json => documentOf(FLEET);

function documentOf(server: Server): Json {
  const paths: Record<string, Json> = {};
  for (const route of Object.values(server.routes)) {
    if (route.documented === false) continue;
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operation(route, server.errors);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: server.title,
      version: 'v1',
      description: `${server.description} ${limitSentence('connections')} One more is closed at once.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'http://127.0.0.1:{port}', variables: { port: server.port } }],
    security: server.security,
    tags: Object.entries(server.tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: reachedFrom(paths),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: server.bearer } },
    },
  };
}

function operation(route: Route, common: Server['errors']): Json {
  const errors = {
    ...common,
    ...((route.query || route.path.includes('{')) && { 422: 'A parameter is not allowed.' }),
    ...(route.method === 'POST' && POST_ERRORS),
    ...(route.body && BODY_ERRORS),
    ...route.errors,
  };
  const parameters = [
    ...pathParameters(route.path),
    ...queryParameters(route.query),
    ...headerParameters({ ...(route.method === 'POST' && POST_HEADERS), ...route.headers }),
  ];
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: { required: !route.bodyOptional, content: json(route.body) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries({
          [route.status ?? 200]: route.events ? DONE[route.events] : 'Done.',
          ...route.also,
        }).map(([status, description]) => [
          status,
          { description, ...(!EMPTY.has(status) && { content: success(route) }) },
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(errors).map(([status, description]) => [
          status,
          { description, ...(status === '401' && CHALLENGE), content: json(errorBody) },
        ]),
      ),
    },
  };
}

const CHALLENGE = { headers: { 'WWW-Authenticate': { schema: { type: 'string', const: 'Bearer' } } } };

/** Statuses that have no content. */
const EMPTY: ReadonlySet<string> = new Set(['204', '304']);

function success(route: Route): Json {
  if (route.contentType) return { [route.contentType]: { schema: { type: 'string' } } };
  const schema = { $ref: refOf(route.response) };
  return {
    ...(route.events !== 'only' && { 'application/json': { schema } }),
    ...(route.events && { 'text/event-stream': { schema } }),
  };
}

/** OpenAPI 3.1 has no schema for the events of a stream; by convention the schema of the stream is that of each event. */
const DONE = {
  only: 'Server-sent events; the `data` of each is JSON of this schema.',
  also: 'Done. As `text/event-stream`: server-sent events; the `data` of each is JSON of this schema.',
};

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

function headerParameters(headers: Route['headers'] = {}): Json[] {
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
}

/** Names are in our registry, descriptions in zod's own, where MCP finds them too. */
const NAMES_AND_MEANINGS = {
  get: (schema: z.ZodType) => ({ ...z.globalRegistry.get(schema), ...named.get(schema) }),
} as unknown as typeof named;

/** The schemas that the paths refer to, directly or through others. */
function reachedFrom(paths: unknown): Json {
  const { schemas } = z.toJSONSchema(named, { io: 'input', uri: reference, metadata: NAMES_AND_MEANINGS });
  const found = new Map<string, Json>();
  const open = refsIn(paths);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const stored = schemas[id];
    if (found.has(id) || !stored) continue;
    const { $id: _, $schema: __, ...schema } = stored;
    found.set(id, schema);
    open.push(...refsIn(schema));
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function refsIn(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  const own = (value as { $ref?: unknown }).$ref;
  const ids = typeof own === 'string' ? [own.slice(reference('').length)] : [];
  return [...ids, ...Object.values(value).flatMap(refsIn)];
}
