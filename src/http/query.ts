import type { Context } from 'hono';
import { invalid } from '../base/index.ts';

interface Bounds {
  min: number;
  max: number;
}

/** A whole number from the query string, within bounds; undefined when it is not there. */
export function queryNumber(context: Context, name: string, bounds: Bounds): number | undefined {
  return wholeNumber(context.req.query(name), name, bounds);
}

/** The same of any text of a request. */
export function wholeNumber(
  text: string | undefined,
  name: string,
  { min, max }: Bounds,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^-?\d{1,15}$/.test(text) || value < min || value > max) {
    throw invalid(`${name} must be a whole number from ${min} to ${max}`);
  }
  return value;
}
