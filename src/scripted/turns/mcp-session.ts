import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { createInterface } from 'node:readline';
import { invalid } from '../../base/index.ts';

/** A server as an MCP configuration names it. */
interface ServerEntry {
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
  if (!entry || typeof entry.command !== 'string') throw invalid(`${file} names no MCP server`);
  return entry;
}

/** One visit to an MCP server over its standard streams: as small as an agent's side of it can be. */
export class McpSession {
  #child: ChildProcess;
  #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (why: Error) => void }>();
  #next = 1;

  constructor({ command, args = [], env = {} }: ServerEntry, signal: AbortSignal) {
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

  async open(): Promise<void> {
    const clientInfo = { name: 'scripted-agent', version: '1' };
    await this.#ask('initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
    this.#send({ method: 'notifications/initialized' });
  }

  /** What the tool answered, as an object; a tool that refuses is an error with its words. */
  async call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { result } = await this.#ask('tools/call', { name, arguments: args });
    const text = (result?.content ?? []).map((part) => part.text ?? '').join('\n');
    if (result?.isError) throw new Error(text);
    return (result?.structuredContent ?? JSON.parse(text)) as Record<string, unknown>;
  }

  close(): void {
    this.#child.stdin!.end();
    this.#child.kill();
  }

  #ask(method: string, params: Record<string, unknown>): Promise<Answer> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  #send(message: Record<string, unknown>): void {
    this.#child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #take(line: string): void {
    let answer: Answer;
    try {
      answer = JSON.parse(line) as Answer;
    } catch {
      return;
    }
    const waiting = this.#waiting.get(answer.id ?? 0);
    if (!waiting) return;
    this.#waiting.delete(answer.id!);
    if (answer.error) waiting.reject(new Error(answer.error.message ?? 'refused'));
    else waiting.resolve(answer);
  }

  #fail(why: Error): void {
    for (const { reject } of this.#waiting.values()) reject(why);
    this.#waiting.clear();
  }
}
