import type * as z from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One route of a server, as data: the server, the client and the OpenAPI document are made from lists of these. */
export interface Route {
  id: string;
  method: Method;
  /** Parameters in braces: `/v1/reminders/{reminder_id}`. */
  path: string;
  tag: string;
  summary: string;
  body?: z.ZodType;
  query?: z.ZodObject;
  /** Headers that mean something here, with what. */
  headers?: Readonly<Record<string, string>>;
  response: z.ZodType;
  /** Of a success. Default 200. */
  status?: 200 | 201 | 202;
  /** Of a success that is not JSON. */
  contentType?: string;
  /** Statuses besides the success, with when they come; those every route may answer are said once per server. */
  errors: Readonly<Record<number, string>>;
}

/** Added for routes that take a body. */
export const BODY_ERRORS: Readonly<Record<number, string>> = {
  413: 'The body is larger than the limit.',
  415: 'The body is not application/json.',
  422: 'The body is not JSON, or a field is missing, unknown or not allowed.',
};

export const route = (row: Omit<Route, 'errors'> & { errors?: Route['errors'] }): Route => ({
  errors: {},
  ...row,
});
