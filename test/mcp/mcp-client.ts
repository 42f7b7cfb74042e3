import { Client, type ClientOptions, type Transport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';

/** The result of a tool: its text, parsed as JSON if it succeeded. */
export interface ToolAnswer {
  isError: boolean;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape
  json: any;
}

/** The official client, connected. */
export class TestMcpClient {
  readonly client: Client;

  constructor(options: ClientOptions = {}) {
    this.client = new Client({ name: 'test', version: '1.0.0' }, options);
  }

  /** Every server lists its tools in the same way: the client checks their results against the list. */
  async connect(transport: Transport): Promise<this> {
    await this.client.connect(transport);
    for (const { name, inputSchema, outputSchema } of (await this.client.listTools()).tools) {
      expect(outputSchema, name).toMatchObject({ type: 'object', properties: expect.anything() });
      expect(JSON.stringify([inputSchema, outputSchema]), name).not.toContain('"type":[');
    }
    return this;
  }

  async toolNames(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name).sort();
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const result = await this.client.callTool({ name, arguments: args });
    const text = (result.content as { text: string }[]).map((part) => part.text).join('\n');
    const isError = result.isError === true;
    expect(result.structuredContent, name).toEqual(isError ? undefined : JSON.parse(text));
    return { isError, text, json: result.structuredContent };
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

export const REQUEST_TOOL_NAMES = [
  'add_request_message',
  'cancel_request',
  'check_requests',
  'create_request',
  'get_request',
  'list_inbox',
  'respond_request',
];
