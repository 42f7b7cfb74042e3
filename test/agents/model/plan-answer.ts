import { randomBytes } from 'node:crypto';
import type { Conversation, Json, OfferedTool } from './conversation.ts';

/** The model's answer: words, or one tool call. */
export interface Plan {
  text: string;
  call?: ToolCall | undefined;
  delayMs: number;
  /** HTTP status instead of an answer. */
  error?: number | undefined;
  hang?: boolean;
}

export interface ToolCall {
  id: string;
  tool: OfferedTool;
  args: Json;
  /** For tools that take text instead of arguments. */
  input: string;
}

/** The next step of a script for a prompt. */
export type Step = { sh: string; escalate?: boolean } | { call: string; args: Json } | { say: string };

const SHELL = ['Bash', 'bash', 'shell_command', 'exec_command', 'shell', 'run_shell_command', 'Shell'];

/**
 * Directives in the prompt decide the answer, so a test decides it by what it sends:
 *   [[delay=8000]]   wait this long before the first word
 *   [[words=200]]    answer with that many words
 *   [[say=…]]        answer exactly this
 *   [[sh=touch x]]   call the shell tool, then finish
 *   [[escalate]]     with sh: ask to leave the sandbox
 *   [[call=Agent]]   call this tool, with the arguments of [[args={…}]], then finish; ⟦delay=9⟧ in them is a directive
 *   [[error=529]]    answer with this HTTP status
 *   [[hang]]         never answer
 */
export function directivesOf(prompt: string): Record<string, string> {
  const found = prompt.matchAll(/\[\[(\w+)(?:=((?:(?!\]\])[\s\S])*))?\]\]/g);
  return Object.fromEntries([...found].map(([, name, value]) => [name!, value ?? '1']));
}

export interface PlanInput {
  conversation: Conversation;
  prompt: string;
  results: string[];
  /** What a script decides for this prompt; it has precedence over directives. */
  step: Step | undefined;
  delayMs: number;
}

export function planAnswer({ conversation, prompt, results, step, delayMs }: PlanInput): Plan {
  const { tools, schema } = conversation;
  if (schema) return { text: JSON.stringify(instanceOf(schema)), delayMs: 0 };
  if (tools.length === 0) return { text: 'side request', delayMs: 0 };
  const said = directivesOf(prompt);
  const plan: Plan = { text: '', delayMs: Number(said['delay'] ?? delayMs), hang: 'hang' in said };
  if (said['error']) return { ...plan, error: Number(said['error']) };
  const wanted = step ?? (results.length > 0 ? doneWith(results) : stepOf(said, prompt));
  if ('say' in wanted) return { ...plan, text: wanted.say, delayMs: results.length > 0 ? 0 : plan.delayMs };
  const names = 'call' in wanted ? [wanted.call] : SHELL;
  const tool = names.map((name) => tools.find((each) => each.name === name)).find(Boolean);
  if (!tool) return { ...plan, text: `no ${names[0]} among ${tools.map(({ name }) => name).join(', ')}` };
  const id = `call_${randomBytes(12).toString('hex')}`;
  if ('call' in wanted) {
    const args = withRequired(tool, wanted.args);
    return { ...plan, call: { id, tool, args, input: JSON.stringify(args) } };
  }
  return { ...plan, call: { id, tool, args: shellArguments(tool, wanted), input: wanted.sh } };
}

function stepOf(said: Record<string, string>, prompt: string): Step {
  if (said['sh']) return { sh: said['sh'], escalate: 'escalate' in said };
  if (said['call']) return { call: said['call'], args: JSON.parse(inner(said['args'] ?? '{}')) };
  if (said['say']) return { say: said['say'] };
  if (said['words'])
    return { say: Array.from({ length: Number(said['words']) }, (_, at) => `word${at + 1}`).join(' ') };
  return { say: `MOCK-REPLY: ${oneLine(prompt).slice(0, 60)}` };
}

/** Directives for the receiver of the arguments. */
function inner(args: string): string {
  return args.replaceAll('⟦', '[[').replaceAll('⟧', ']]');
}

function doneWith(results: string[]): Step {
  return { say: `MOCK-TOOL-DONE: ${oneLine(results.at(-1)!).slice(0, 80)}` };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The command, under the name that this tool has for it; every other required argument has a minimal value. */
function shellArguments(tool: OfferedTool, { sh, escalate }: { sh: string; escalate?: boolean }): Json {
  const properties = tool.schema?.properties ?? {};
  const known: Record<string, unknown> = {
    command: properties.command?.type === 'array' ? ['bash', '-lc', sh] : sh,
    cmd: sh,
    description: 'Mock shell call',
    ...(escalate && {
      sandbox_permissions: 'require_escalated',
      justification: 'May the mock run this outside the sandbox?',
    }),
  };
  return withRequired(tool, Object.fromEntries(Object.entries(known).filter(([name]) => name in properties)));
}

function withRequired({ schema }: OfferedTool, given: Json): Json {
  const args = { ...given };
  for (const name of schema?.required ?? []) args[name] ??= instanceOf(schema.properties?.[name], schema);
  return args;
}

/** A minimal value that fits a JSON schema. */
function instanceOf(schema: Json, root: Json = schema): unknown {
  if (!schema) return {};
  if (schema.$ref) {
    const place = String(schema.$ref).replace(/^#\//, '').split('/');
    return instanceOf(
      place.reduce((at: Json, key) => at?.[key], root),
      root,
    );
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf ?? schema.oneOf) return instanceOf((schema.anyOf ?? schema.oneOf)[0], root);
  const type = String(Array.isArray(schema.type) ? schema.type[0] : (schema.type ?? 'object')).toLowerCase();
  if (type === 'object') {
    return Object.fromEntries(
      Object.entries(schema.properties ?? {})
        .filter(([name]) => !schema.required || schema.required.includes(name))
        .map(([name, inner]) => [name, instanceOf(inner, root)]),
    );
  }
  if (type === 'array')
    return Array.from({ length: schema.minItems ?? 0 }, () => instanceOf(schema.items, root));
  if (type === 'number' || type === 'integer') return schema.minimum ?? 1;
  if (type === 'boolean') return false;
  return type === 'null' ? null : 'mock';
}
