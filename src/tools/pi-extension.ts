import type { SessionMcp } from './tool.ts';

/**
 * An extension with our tools for pi, which takes no MCP servers. Each tool calls the agent's gateway. If no gateway
 * listens, nothing was sent, and our server on standard streams is used instead, which works on the mailbox itself.
 */
export function piExtension(server: string, { program, http, tools }: SessionMcp): string {
  const facts = {
    url: http?.url ?? null,
    tokenFile: http?.tokenFile ?? null,
    program,
    tools: tools.map(({ name, title, description, input }) => ({ name, title, description, input })),
  };
  return `// Written by Rouse for this session.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { url, tokenFile, program, tools } = ${JSON.stringify(facts, null, 1)};

const PROTOCOL = '2025-06-18';
const message = (method, params, id) => JSON.stringify({ jsonrpc: '2.0', ...(id && { id }), method, params });

async function overHttp(params, signal) {
  const response = await fetch(url, {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PROTOCOL,
      authorization: \`Bearer \${readFileSync(tokenFile, 'utf8').trim()}\`,
    },
    body: message('tools/call', params, 1),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(\`Rouse answered \${response.status}: \${text.slice(0, 300)}\`);
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
}

function overProgram(params, signal) {
  return new Promise((resolve, reject) => {
    const child = spawn(program.command, program.args, {
      env: { ...process.env, ...program.env },
      stdio: ['pipe', 'pipe', 'ignore'],
      signal,
    });
    child.on('error', reject);
    child.on('close', () => reject(new Error('Rouse ended without a response')));
    child.stdin.on('error', () => {});
    createInterface({ input: child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line);
      if (answer.id !== 2) return;
      resolve(answer);
      child.stdin.end();
    });
    const clientInfo = { name: 'pi', version: '1' };
    child.stdin.write(
      [
        message('initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo }, 1),
        message('notifications/initialized'),
        message('tools/call', params, 2),
        '',
      ].join('\\n'),
    );
  });
}

async function call(name, args, signal) {
  const params = { name, arguments: args };
  const { result, error } = await (url
    ? overHttp(params, signal).catch((failure) => {
        if (failure?.cause?.code === 'ECONNREFUSED') return overProgram(params, signal);
        throw failure;
      })
    : overProgram(params, signal));
  const content = result?.content ?? [];
  const text = content.map((part) => part.text ?? '').join('\\n');
  if (error || result?.isError) throw new Error(error?.message ?? text);
  return { content, details: {} };
}

export default function rouse(pi) {
  for (const { name, title, description, input } of tools) {
    pi.registerTool({
      name: \`${server}_\${name}\`,
      label: \`Rouse: \${title}\`,
      description,
      parameters: input,
      execute: (_id, args, signal) => call(name, args ?? {}, signal),
    });
  }
}
`;
}
