import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { returns, takes } from './listed-schema.ts';
import type { McpPorts } from './ports.ts';

/** One tool: its input, what it does, and its output, which is sent both structured and as text. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  /** Input and output schema as the server lists them. */
  takes: StandardSchemaWithJSON;
  returns: StandardSchemaWithJSON;
  /** Changes nothing. */
  readOnly: boolean;
  /** Calling it again with the same arguments changes nothing more. */
  idempotent: boolean;
  /** Deletes something for good. */
  destructive: boolean;
  run: (args: never, ports: Required<McpPorts>) => Promise<unknown>;
}

interface ToolDefinition<Input extends z.ZodRawShape | z.ZodObject> {
  name: string;
  title: string;
  description: string;
  /** A schema, or the fields of a strict one. */
  input: Input;
  output: z.ZodObject;
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

export function tool<Input extends z.ZodRawShape | z.ZodObject>(wanted: ToolDefinition<Input>): Tool {
  const { readOnly = false, idempotent = readOnly, destructive = false, output, ...rest } = wanted;
  const input = rest.input instanceof z.ZodObject ? rest.input : z.strictObject(rest.input as z.ZodRawShape);
  const listed = { input, takes: takes(input), returns: returns(output) };
  return { ...rest, ...listed, readOnly, idempotent, destructive, run: wanted.run as Tool['run'] };
}

/** The fields that have a value; the others are not sent. */
export function withoutUndefined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
