import * as z from 'zod';
import type { McpPorts } from './ports.ts';

/** One tool: what it takes, and what it does with it. The result is shown as JSON. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  /** Changes nothing. */
  readOnly: boolean;
  /** Doing it again with the same arguments changes nothing more. */
  idempotent: boolean;
  run: (args: never, ports: Required<McpPorts>) => Promise<unknown>;
}

interface Wanted<Shape extends z.ZodRawShape> {
  name: string;
  title: string;
  description: string;
  input: Shape;
  readOnly?: boolean;
  idempotent?: boolean;
  run: (args: z.output<z.ZodObject<Shape>>, ports: Required<McpPorts>) => Promise<unknown>;
}

export function tool<Shape extends z.ZodRawShape>(wanted: Wanted<Shape>): Tool {
  const { readOnly = false, idempotent = readOnly, input } = wanted;
  return { ...wanted, readOnly, idempotent, input: z.strictObject(input), run: wanted.run as Tool['run'] };
}

/** Left out of what is sent when it was not given. */
export function given<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
