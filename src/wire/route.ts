import type * as z from 'zod';
import { limitSentence } from '../domain/index.ts';
import type { AccessName } from './access-rules.ts';
import {
  type Method,
  type MethodOf,
  methodOf,
  type ParameterOf,
  type PathOf,
  type Place,
  type Places,
  pathOf,
} from './place.ts';

/** Input, response and access of a route; its place is in places.ts. */
export interface Row {
  tag: string;
  summary: string;
  /** More about it for the document, such as a limit that no schema can express. */
  description?: string;
  /** The rule for who is admitted. */
  access: AccessName;
  body?: z.ZodType;
  /** The body may be missing, which means an empty object. */
  bodyOptional?: boolean;
  query?: z.ZodObject;
  /** Headers that have an effect, with their meaning. */
  headers?: Readonly<Record<string, string>>;
  response: z.ZodType;
  /** Status of a success. Default 200. */
  status?: 200 | 201 | 202;
  /** Status of a success, when it depends on the response. */
  statusOf?: (answer: never) => 200 | 201 | 202;
  /** Other success statuses, with when they occur. */
  also?: Readonly<Record<number, string>>;
  /** Content type of a success that is not JSON. */
  contentType?: string;
  /** A success is server-sent events (`only`), or may be (`also`); `response` is the schema of each event's data. */
  events?: 'only' | 'also';
  /** Error statuses, with when they occur; those of every route are listed once per server. */
  errors?: Readonly<Record<number, string>>;
  /** Also served with a trailing slash: some clients resolve an empty path against the endpoint. */
  orSlash?: true;
  /** False: not part of the contract and not in the OpenAPI document. */
  documented?: false;
  /** The source has no such route: its responses keep all fields. */
  ours?: true;
}

/** One route of a server, as data: handlers, client, OpenAPI document, access page and fuzz tests are made from it. */
export interface Route extends Row {
  id: string;
  method: Method;
  path: string;
}

export type Routes = Readonly<Record<string, Route>>;

type RouteAt<Id, P extends Place, R extends Row> = R & {
  readonly id: Id;
  readonly method: MethodOf<P>;
  readonly path: PathOf<P>;
};

/** Joins places with their rows; both must have the same names. */
export function routes<P extends Places, R extends { [K in keyof P]: Row }>(
  places: P,
  rows: R & { [K in Exclude<keyof R, keyof P>]: never },
): { readonly [K in keyof P & keyof R]: RouteAt<K, P[K], R[K]> } {
  const joined = Object.entries(rows as Record<string, Row>).map(([id, row]) => {
    const place = places[id]!;
    return [id, { ...row, id, method: methodOf(place), path: pathOf(place) }];
  });
  return Object.fromEntries(joined) as never;
}

/** The same for a noun that the source does not have. */
export function ourRoutes<P extends Places, R extends { [K in keyof P]: Row }>(
  places: P,
  rows: R & { [K in Exclude<keyof R, keyof P>]: never },
): { readonly [K in keyof P & keyof R]: RouteAt<K, P[K], R[K]> } {
  const all = Object.entries<Row>(rows).map(([id, row]) => [id, { ...row, ours: true }]);
  return routes(places, Object.fromEntries(all));
}

export type ParamsOf<R extends Route> = Readonly<Record<ParameterOf<R['path']>, string>>;
/** What the handler receives. */
export type QueryOf<R extends Route> = R extends { query: infer Q extends z.ZodType }
  ? z.output<Q>
  : undefined;
export type BodyOf<R extends Route> = R extends { body: infer B extends z.ZodType } ? z.output<B> : undefined;
export type AnswerOf<R extends Route> = z.output<R['response']>;

type QueryInput<R extends Route> = R extends { query: infer Q extends z.ZodType }
  ? Optional<z.input<Q>>
  : unknown;
type BodyInput<R extends Route> = R extends { body: infer B extends z.ZodType }
  ? R extends { bodyOptional: true }
    ? { body?: z.input<B> }
    : { body: z.input<B> }
  : unknown;
type Optional<T> = { [K in keyof T]: T[K] | undefined };

/** What a caller passes: path parameters, query parameters and the body. */
export type InputOf<R extends Route> = ParamsOf<R> & QueryInput<R> & BodyInput<R>;

/** Errors added for routes with a body. */
export const BODY_ERRORS: Readonly<Record<number, string>> = {
  413: `The body is too large. ${limitSentence('bodyBytes')}`,
  415: 'The body is not application/json.',
  422: 'The body is not JSON, or a field is missing, unknown or not allowed.',
};

/** Errors added for every POST, which a web page could send as a form. */
export const POST_ERRORS: Readonly<Record<number, string>> = {
  415: 'The body is not application/json, or a browser sent no body and no `X-Rouse: 1`.',
};

export const POST_HEADERS: Readonly<Record<string, string>> = {
  'X-Rouse':
    '`1`: a program sends this request, not the form of a web page. Only a browser without a body needs it.',
};
