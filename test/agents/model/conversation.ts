/** A request to a model in any dialect: the conversation so far and the offered tools. */
export interface Conversation {
  items: Item[];
  tools: OfferedTool[];
  /** The answer must be JSON of this shape: a side request for a title or a route. */
  schema?: Json | undefined;
}

export interface Item {
  kind: 'user' | 'assistant' | 'tool' | 'system';
  text: string;
}

export interface OfferedTool {
  name: string;
  schema: Json | undefined;
  /** Responses API: `function` or `custom`, and its namespace. */
  type?: string;
  namespace?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: four foreign formats, read leniently
export type Json = any;

export type Dialect = 'anthropic' | 'responses' | 'chat' | 'gemini';

export function readConversation(dialect: Dialect, body: Json): Conversation {
  return READERS[dialect](body);
}

const READERS: Record<Dialect, (body: Json) => Conversation> = {
  anthropic: (body) => ({
    items: (body.messages ?? []).flatMap((message: Json) =>
      partsOf(message.content).flatMap((part): Item[] => {
        if (part.type === 'tool_result') return [{ kind: 'tool', text: textOf(part.content) }];
        if (part.type === 'tool_use') return [{ kind: 'assistant', text: '' }];
        return part.type === 'text' ? [{ kind: message.role, text: part.text }] : [];
      }),
    ),
    tools: (body.tools ?? []).map((tool: Json) => ({ name: tool.name, schema: tool.input_schema })),
    schema: body.output_config?.format?.schema ?? body.output_format?.schema,
  }),

  responses: (body) => ({
    items: (typeof body.input === 'string'
      ? [{ role: 'user', content: body.input }]
      : (body.input ?? [])
    ).flatMap((item: Json): Item[] => {
      const type = item.type ?? '';
      if (type.endsWith('_call_output')) return [{ kind: 'tool', text: textOf(item.output) }];
      if (type.endsWith('_call')) return [{ kind: 'assistant', text: '' }];
      if (!item.role) return [];
      return [{ kind: item.role === 'developer' ? 'system' : item.role, text: textOf(item.content) }];
    }),
    tools: flatTools(body.tools),
    schema: body.text?.format?.schema,
  }),

  chat: (body) => ({
    items: (body.messages ?? []).flatMap((message: Json) =>
      partsOf(message.content ?? '').map((part): Item => ({ kind: message.role, text: textOf([part]) })),
    ),
    tools: (body.tools ?? []).map((tool: Json) => ({
      name: tool.function?.name,
      schema: tool.function?.parameters,
    })),
    schema: body.response_format?.json_schema?.schema,
  }),

  gemini: (body) => {
    const request = body.request ?? body;
    const settings = request.generationConfig ?? {};
    return {
      items: (request.contents ?? []).flatMap((content: Json) =>
        (content.parts ?? []).flatMap((part: Json): Item[] => {
          if (part.functionResponse)
            return [{ kind: 'tool', text: JSON.stringify(part.functionResponse.response ?? {}) }];
          if (part.functionCall) return [{ kind: 'assistant', text: '' }];
          return part.text
            ? [{ kind: content.role === 'model' ? 'assistant' : 'user', text: part.text }]
            : [];
        }),
      ),
      tools: (request.tools ?? [])
        .flatMap((tool: Json) => tool.functionDeclarations ?? [])
        .map((tool: Json) => ({ name: tool.name, schema: tool.parametersJsonSchema ?? tool.parameters })),
      schema: settings.responseJsonSchema ?? settings.responseSchema,
    };
  },
};

function partsOf(content: Json): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

function textOf(content: Json): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: Json) => (typeof part === 'string' ? part : (part.text ?? part.content ?? '')))
    .filter((text: Json) => typeof text === 'string' && text !== '')
    .join('\n');
}

function flatTools(tools: Json[] | undefined, namespace?: string): OfferedTool[] {
  return (tools ?? []).flatMap((tool) =>
    tool.type === 'namespace'
      ? flatTools(tool.tools, tool.name)
      : [
          {
            name: tool.name ?? tool.type,
            schema: tool.parameters,
            type: tool.type,
            ...(namespace === undefined ? {} : { namespace }),
          },
        ],
  );
}

/** Texts that the command lines add around or beside what was typed. */
const WRAPPING = /^(?:\s*<([a-zA-Z_-]+)(?: [^>]*)?>[\s\S]*?<\/\1>[ \t]*\n*)+/;
const TRAILING = /(?:\n+<([a-zA-Z_-]+)(?: [^>]*)?>[\s\S]*?<\/\1>\s*)+$/;
const OWN_WORDS = /^\s*(<[a-zA-Z_-]+[ >]|---|\[Request interrupted)/;

/** The prompt of this request, and the results so far of the tools called for it. */
export function lastPrompt({ items }: Conversation): { text: string; results: string[] } {
  const users = items.filter(({ kind }) => kind === 'user');
  const lastAnswer = items.findLastIndex(({ kind }) => kind === 'assistant');
  const recent = items.slice(lastAnswer + 1).filter(({ kind }) => kind === 'user');
  const typed = (among: Item[]): Item | undefined =>
    among.findLast(({ text }) => !OWN_WORDS.test(bare(text)));
  const prompt = typed(recent) ?? typed(users) ?? users.at(-1);
  if (!prompt) return { text: '', results: [] };
  const after = items.slice(items.indexOf(prompt) + 1);
  return {
    text: bare(prompt.text),
    results: after.filter(({ kind }) => kind === 'tool').map(({ text }) => text),
  };
}

function bare(text: string): string {
  const inner = text.replace(WRAPPING, '').replace(TRAILING, '');
  return inner.trim() === '' ? text : inner;
}
