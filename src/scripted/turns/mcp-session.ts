import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { createInterface } from 'node:readline';
import { invalid } from '../../base/index.ts';

/** A server of an MCP configuration: a program or an address. */
type ServerEntry = ProgramEntry | { url: string; headers?: Record<string, string> };

interface ProgramEntry {
  command: string;
  args?: string[];
  env?: Record<string, string>;
}

interface Answer {
  id?: number;
  result?: { content?: { type: string; text?: string }[]; structuredContent?: unknown; isError?: boolean };
  error?: { message?: string };
}

const PROTOCOL = '2025-06-18';

/** The first server of a `{"mcpServers": …}` file. */
export function readMcpConfig(file: string): ServerEntry {
  const servers = (JSON.parse(fs.readFileSync(file, 'utf8')) as { mcpServers?: Record<string, ServerEntry> })
    .mcpServers;
  const [entry] = Object.values(servers ?? {});
  if (!entry || !('url' in entry || 'command' in entry)) throw invalid(`${file} names no MCP server`);
  return entry;
}

/** A minimal MCP client. */
export class McpSession {
  #line: Line;
  #next = 1;

  constructor(entry: ServerEntry, signal: AbortSignal) {
    this.#line = 'url' in entry ? httpLine(entry, signal) : new ProgramLine(entry, signal);
  }

  async open(): Promise<void> {
    const clientInfo = { name: 'scripted-agent', version: '1' };
    await this.#ask('initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
    await this.#line.notify({ method: 'notifications/initialized' });
  }

  /** Returns the result of the tool as an object. Throws the tool's message if it refuses. */
  async call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { result } = await this.#ask('tools/call', { name, arguments: args });
    const text = (result?.content ?? []).map((part) => part.text ?? '').join('\n');
    if (result?.isError) throw new Error(text);
    return (result?.structuredContent ?? JSON.parse(text)) as Record<string, unknown>;
  }

  close(): void {
    this.#line.close();
  }

  async #ask(method: string, params: Record<string, unknown>): Promise<Answer> {
    const answer = await this.#line.ask(this.#next++, { method, params });
    if (answer.error) throw new Error(answer.error.message ?? 'refused');
    return answer;
  }
}

type Message = Record<string, unknown>;

interface Line {
  ask(id: number, message: Message): Promise<Answer>;
  notify(message: Message): Promise<void> | void;
  close(): void;
}

/** Each message is an HTTP request. The response is JSON, or a stream with one event. */
function httpLine(
  { url, headers }: { url: string; headers?: Record<string, string> },
  signal: AbortSignal,
): Line {
  const post = async (message: Message): Promise<string> => {
    const response = await fetch(url, {
      method: 'POST',
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the MCP server returned ${response.status}: ${text.slice(0, 200)}`);
    return /^data: (.*)$/m.exec(text)?.[1] ?? text;
  };
  return {
    ask: async (id, message) => JSON.parse(await post({ id, ...message })) as Answer,
    notify: async (message) => void (await post(message)),
    close: () => {},
  };
}

class ProgramLine implements Line {
  #child: ChildProcess;
  #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (why: Error) => void }>();

  constructor({ command, args = [], env = {} }: ProgramEntry, signal: AbortSignal) {
    this.#child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
      signal,
    });
    createInterface({ input: this.#child.stdout! }).on('line', (line) => this.#take(line));
    this.#child.stdin!.on('error', () => {});
    this.#child.on('error', (error) => this.#fail(error));
    this.#child.on('close', (code) => this.#fail(new Error(`the MCP server ended (${code})`)));
  }

  ask(id: number, message: Message): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.notify({ id, ...message });
    });
  }

  notify(message: Message): void {
    this.#child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  close(): void {
    this.#child.stdin!.end();
    this.#child.kill();
  }

  #take(line: string): void {
    let answer: Answer;
    try {
      answer = JSON.parse(line) as Answer;
    } catch {
      return;
    }
    this.#waiting.get(answer.id ?? 0)?.resolve(answer);
    this.#waiting.delete(answer.id ?? 0);
  }

  #fail(why: Error): void {
    for (const { reject } of this.#waiting.values()) reject(why);
    this.#waiting.clear();
  }
}
