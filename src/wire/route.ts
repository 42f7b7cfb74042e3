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

/** What a route takes, answers and whom it admits; its place is in places.ts. */
export interface Row {
  tag: string;
  summary: string;
  /** What the document says of it besides, such as a limit that no schema can name. */
  description?: string;
  /** The rule that says who is admitted. */
  access: AccessName;
  body?: z.ZodType;
  /** Nothing at all may be sent instead of an empty object. */
  bodyOptional?: boolean;
  query?: z.ZodObject;
  /** Headers that mean something here, with what. */
  headers?: Readonly<Record<string, string>>;
  response: z.ZodType;
  /** Of a success. Default 200. */
  status?: 200 | 201 | 202;
  /** Of a success whose status depends on the answer. */
  statusOf?: (answer: never) => 200 | 201 | 202;
  /** Successes with another status than that, with when they come. */
  also?: Readonly<Record<number, string>>;
  /** Of a success that is not JSON. */
  contentType?: string;
  /** A success is server-sent events, or may be: the data of each is what `response` says. */
  events?: 'only' | 'also';
  /** Statuses besides the success, with when they come; those every route may answer are said once per server. */
  errors?: Readonly<Record<number, string>>;
  /** Served with a slash at its end, too: some clients resolve an empty path against the endpoint. */
  orSlash?: true;
  /** False: served beside the contract, and not in the OpenAPI document. */
  documented?: false;
  /** The source has no such route: nothing is left out of its answers. */
  ours?: true;
}

/** One route of a server, as data: handlers, client, OpenAPI document, access page and fuzz are made from these. */
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

/** Joins places and rows, which must have the same names. */
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

/** The same for a noun that the source does not have at all. */
export function ourRoutes<P extends Places, R extends { [K in keyof P]: Row }>(
  places: P,
  rows: R & { [K in Exclude<keyof R, keyof P>]: never },
): { readonly [K in keyof P & keyof R]: RouteAt<K, P[K], R[K]> } {
  const all = Object.entries<Row>(rows).map(([id, row]) => [id, { ...row, ours: true }]);
  return routes(places, Object.fromEntries(all));
}

export type ParamsOf<R extends Route> = Readonly<Record<ParameterOf<R['path']>, string>>;
/** What the handler gets, and what the caller gives. */
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

/** What a caller gives: the parameters of the path, those of the query, and the body. */
export type InputOf<R extends Route> = ParamsOf<R> & QueryInput<R> & BodyInput<R>;

/** Added for routes that take a body. */
export const BODY_ERRORS: Readonly<Record<number, string>> = {
  413: `The body is too large. ${limitSentence('bodyBytes')}`,
  415: 'The body is not application/json.',
  422: 'The body is not JSON, or a field is missing, unknown or not allowed.',
};

/** Added for every POST, which a web page could send as a form. */
export const POST_ERRORS: Readonly<Record<number, string>> = {
  415: 'The body is not application/json; or there is none, and the request is that of a browser without `X-Rouse: 1`.',
};

export const POST_HEADERS: Readonly<Record<string, string>> = {
  'X-Rouse':
    '`1`: a program sends this, not a form of a web page. Needed only by a browser that sends no body.',
};
