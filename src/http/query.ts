import type { Context } from 'hono';
import { invalid } from '../base/index.ts';

/** A whole number from the query string, within bounds; undefined when it is not there. */
export function queryNumber(
  context: Context,
  name: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  const text = context.req.query(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^-?\d{1,15}$/.test(text) || value < min || value > max) {
    throw invalid(`${name} must be a whole number from ${min} to ${max}`);
  }
  return value;
}
