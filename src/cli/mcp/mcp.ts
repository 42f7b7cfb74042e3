import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { wholeNumber } from '../input/flag-values.ts';
import { mcpInstall } from './install.ts';
import { MCP_FLAGS, mcpPorts, ownTokenFile } from './ports.ts';

async function serve(input: InputOf<typeof SERVE_FLAGS>): Promise<Output | void> {
  const port = input.flags.http;
  if (port !== undefined) return serveHttp(input, port);
  const { serveMcpOverStdio } = await import('../../mcp/index.ts');
  await serveMcpOverStdio(await mcpPorts(input), input.signal);
}

async function serveHttp(input: InputOf<typeof SERVE_FLAGS>, port: number): Promise<void> {
  const [{ listenMcp }, { readTokenFile }, { silentLog }] = await Promise.all([
    import('../../mcp/index.ts'),
    import('../../client/index.ts'),
    import('../../base/index.ts'),
  ]);
  const file = await ownTokenFile(input);
  const listening = await listenMcp({
    ports: await mcpPorts(input),
    port,
    tokenOf: () => readTokenFile(file),
    env: input.env,
    log: silentLog,
  });
  input.err(`serving MCP on ${listening.url}, with the bearer token of ${file}\n`);
  await new Promise<void>((resolve) =>
    input.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  await listening.close();
}

const SERVE_FLAGS = [
  {
    name: 'http',
    value: 'PORT',
    summary: 'serve streamable HTTP on this port of 127.0.0.1 (0: any free one) instead of standard input',
    parse: wholeNumber(0, 65_535),
  },
  ...MCP_FLAGS,
] as const satisfies readonly Flag[];

/** The agent's tools for any program that speaks the Model Context Protocol. */
const mcp = command({
  ...FIRST_WORDS.mcp,
  description:
    'Serves the tools over standard input and output, the way tools start their MCP servers, or with --http on loopback. The ' +
    "agent is the one named, else the one of this session; its token is read from the session's fleet/token or the file " +
    'in ROUSE_FLEET_TOKEN_FILE, never from an argument.',
  examples: ['rouse mcp', 'rouse mcp --agent-name ben --http 9890'],
  flags: SERVE_FLAGS,
  run: serve,
  subcommands: [mcpInstall],
});

export default mcp;
