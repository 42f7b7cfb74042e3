import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { readAgentToken, sessionFleet } from '../../src/client/index.ts';
import { FETCHING } from './another-account.ts';
import { ask, asOtherAccount, asProgram, type Call, isRoot } from './call.ts';
import type { Stage } from './stage.ts';
import type { Tries } from './tries.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const ACCEPT = { accept: 'application/json, text/event-stream' };

/** The headers of a web page; a token does not help it. */
const FOREIGN: Record<string, string>[] = [
  { host: 'evil.example' },
  { origin: 'http://evil.example' },
  { origin: 'null' },
];

/** `rouse mcp --http`, by every caller without its agent's token, and then by one with it. */
export async function mcpOverHttp(stage: Stage, tries: Tries, kind: string): Promise<void> {
  const { root } = stage.agent.facts;
  const own = fs.readFileSync(sessionFleet(root)!.tokenFile, 'utf8').trim();
  const { port, stop } = await start(stage);
  const call = (token?: string, headers: Record<string, string> = {}): Call =>
    asProgram({ port, method: 'POST', path: '/mcp', body: PING, headers: { ...ACCEPT, ...headers } }, token);
  try {
    const tokens = { ...stage.tokens, 'the gateway': readAgentToken(root), none: undefined };
    for (const [name, token] of Object.entries(tokens)) {
      const { status } = await ask(call(token));
      tries.add(kind, ![401, 429].includes(status) && `by the token of ${name}: ${status}`);
    }
    for (const headers of FOREIGN) {
      const { status } = await ask(call(own, headers));
      tries.add(kind, status !== 403 && `with ${JSON.stringify(headers)}: ${status}`);
    }
    if (isRoot) {
      const [status] = await asOtherAccount<number[]>(FETCHING, [call()]);
      tries.add(kind, status !== 403 && `by another account: ${status}`);
    }
    const { status } = await ask(call(own));
    if (status !== 200) tries.found(kind, `by the token of its agent: ${status}`);
  } finally {
    await stop();
  }
}

async function start(stage: Stage): Promise<{ port: number; stop: () => Promise<void> }> {
  const { settings, env } = stage.world.context;
  const program = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');
  const child = spawn(process.execPath, [program, 'mcp', '--agent-name', 'ana', '--http', '0'], {
    env: {
      ...env,
      HOUMAO_GLOBAL_RUNTIME_DIR: settings.runtimeDir,
      HOUMAO_GLOBAL_MAILBOX_DIR: settings.mailboxDir,
      HOUMAO_GLOBAL_REGISTRY_DIR: settings.registryDir,
      ROUSE_TMUX_SOCKET: settings.tmuxSocket,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  let said = '';
  for await (const part of child.stderr) {
    said += String(part);
    const port = /serving MCP on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
    if (port) return { port: Number(port), stop };
  }
  throw new Error(`rouse mcp did not start: ${said}`);
}
