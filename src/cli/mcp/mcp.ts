import { AGENT_FLAGS } from '../agents/target.ts';
import type { Command, Input, Output } from '../command.ts';
import { FLEET_FLAGS } from '../fleet/access.ts';
import { wholeNumber } from '../input/flag-values.ts';
import { mcpInstall } from './install.ts';
import { mcpPorts, ownTokenFile } from './ports.ts';

async function serve(input: Input): Promise<Output | void> {
  const port = input.flags['http'] as number | undefined;
  if (port !== undefined) return serveHttp(input, port);
  const { serveMcpOverStdio } = await import('../../mcp/index.ts');
  await serveMcpOverStdio(mcpPorts(input), input.signal);
}

async function serveHttp(input: Input, port: number): Promise<void> {
  const [{ listenMcp }, { readTokenFile }, { silentLog }] = await Promise.all([
    import('../../mcp/index.ts'),
    import('../../client/index.ts'),
    import('../../base/index.ts'),
  ]);
  const file = await ownTokenFile(input);
  const listening = await listenMcp({
    ports: mcpPorts(input),
    port,
    tokenOf: () => (file === undefined ? undefined : readTokenFile(file)),
    env: input.env,
    log: silentLog,
  });
  const token = file === undefined ? '' : `, with the bearer token of ${file}`;
  input.err(`serving MCP on ${listening.url}${token}\n`);
  await new Promise<void>((resolve) =>
    input.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  await listening.close();
}

/** The agent's tools for any program that speaks the Model Context Protocol. */
const mcp: Command = {
  name: 'mcp',
  summary: 'requests, mail and reminders as MCP tools for an agent',
  description:
    'Serves the tools over standard input and output, as tools start their MCP servers, or with --http on loopback. The ' +
    "agent is the one named, else the one of this session; its token is read from the session's fleet/token or the file " +
    'in ROUSE_FLEET_TOKEN_FILE, never from an argument.',
  examples: ['rouse mcp', 'rouse mcp --agent-name ben --http 9890'],
  flags: [
    {
      name: 'http',
      value: 'PORT',
      summary: 'serve streamable HTTP on this port of 127.0.0.1 (0: any free one) instead of standard input',
      parse: wholeNumber(0, 65_535),
    },
    ...AGENT_FLAGS,
    ...FLEET_FLAGS,
  ],
  run: serve,
  subcommands: [mcpInstall],
};

export default mcp;
