import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { lowestGivenPort } from '../../base/index.ts';
import { ANY_PORT, LOOPBACK } from '../../domain/index.ts';
import { readDesiredConfig } from '../records/gateway-documents.ts';
import type { SessionPaths } from '../records/session-paths.ts';
import { type AttachOptions, planAttach } from './attach-plan.ts';

/** Below what the system hands out by itself, so that nobody is given the port while a gateway is restarted. */
const LOWEST = 20_000;
const TRIES = 20;

/**
 * The port at which a gateway that is about to be attached will listen: as asked for, else a free one. The tool is told of it
 * before the gateway runs. Undefined when it will listen where the agent's tools are not served.
 */
export async function chooseGatewayPort(
  options: AttachOptions,
  at: { env: NodeJS.ProcessEnv; statePath: string },
): Promise<number | undefined> {
  const { host, port } = planAttach(options, at, {}).listener;
  if (host !== LOOPBACK) return undefined;
  return port === ANY_PORT ? freePort() : port;
}

/** The port that a gateway about to be attached again will have, as it had it before; undefined when that cannot be said. */
export async function formerGatewayPort(paths: SessionPaths): Promise<number | undefined> {
  const { desired_host: host, desired_port: port } = readDesiredConfig(paths);
  if (host !== LOOPBACK || !port) return undefined;
  return (await canListen(port)) || undefined;
}

async function freePort(): Promise<number> {
  const below = lowestGivenPort() ?? 32_768;
  for (let tries = 0; tries < TRIES && below > LOWEST; tries++) {
    const port = randomInt(LOWEST, below);
    if (await canListen(port)) return port;
  }
  return (await canListen(ANY_PORT)) || ANY_PORT;
}

/** The port it could listen at; 0 when it could not. */
async function canListen(port: number): Promise<number> {
  const server = createServer();
  try {
    server.listen({ host: LOOPBACK, port });
    await once(server, 'listening');
    return (server.address() as { port: number }).port;
  } catch {
    return 0;
  } finally {
    server.close();
  }
}
