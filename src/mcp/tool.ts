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
  /** Takes away what was there, for good. */
  destructive: boolean;
  run: (args: never, ports: Required<McpPorts>) => Promise<unknown>;
}

interface Wanted<Input extends z.ZodRawShape | z.ZodObject> {
  name: string;
  title: string;
  description: string;
  /** A schema, or the fields of one that knows no others. */
  input: Input;
  readOnly?: boolean;
  idempotent?: boolean;
  destructive?: boolean;
  run: (args: z.output<SchemaOf<Input>>, ports: Required<McpPorts>) => Promise<unknown>;
}

type SchemaOf<Input> = Input extends z.ZodObject
  ? Input
  : Input extends z.ZodRawShape
    ? z.ZodObject<Input>
    : never;

export function tool<Input extends z.ZodRawShape | z.ZodObject>(wanted: Wanted<Input>): Tool {
  const { readOnly = false, idempotent = readOnly, destructive = false, input } = wanted;
  const schema = input instanceof z.ZodObject ? input : z.strictObject(input as z.ZodRawShape);
  return { ...wanted, readOnly, idempotent, destructive, input: schema, run: wanted.run as Tool['run'] };
}

/** Left out of what is sent when it was not given. */
export function given<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
