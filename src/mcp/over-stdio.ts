import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from './create-mcp-server.ts';
import type { McpPorts } from './ports.ts';

/** Serves one client until it closes its end or the signal aborts. Nothing else may be written to standard output. */
export async function serveMcpOverStdio(ports: McpPorts, signal: AbortSignal): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const handle = serveStdio(() => createMcpServer(ports));
  await ended;
  await handle.close();
}
