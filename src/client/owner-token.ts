import * as os from 'node:os';
import * as path from 'node:path';
import { isProcessAlive, readIfExists, readJsonIfExists } from '../base/index.ts';

/** Written by a fleet server on loopback that cannot ask the kernel who connects; deleted when the server ends. */
export function ownerTokenFile(home: string): string {
  return path.join(home, 'server', 'owner-token');
}

/**
 * The token that proves to a fleet server of this home that the caller is its owner, when the server needs one. Another
 * program on the port must not get it, so it is returned only for the recorded address of the server that runs now.
 */
export function ownerToken(env: NodeJS.ProcessEnv, url: string): string | undefined {
  const home = homeOf(env);
  const token = readIfExists(ownerTokenFile(home))?.trim();
  if (!token) return undefined;
  const running = readJsonIfExists(path.join(home, 'server', 'current-instance.json')) as Running | undefined;
  const { protocol, hostname, port } = new URL(url);
  const asRecorded = hostname.replace(/^\[|\]$/g, '') === running?.host || hostname === 'localhost';
  if (!running || protocol !== 'http:' || !asRecorded || Number(port || 80) !== running.port)
    return undefined;
  const { pid, process_start_ticks: startTicks, boot_id: bootId } = running;
  return isProcessAlive({ pid, startTicks, bootId }) ? token : undefined;
}

/** Whether this home started the server with this instance id last. */
export function isServerOfHome(env: NodeJS.ProcessEnv, instanceId: string | undefined): boolean {
  const running = readJsonIfExists(path.join(homeOf(env), 'server', 'current-instance.json')) as
    | Partial<Running>
    | undefined;
  return instanceId !== undefined && running?.instance_id === instanceId;
}

const homeOf = (env: NodeJS.ProcessEnv): string =>
  env['ROUSE_HOME'] || path.join(env['HOME'] || os.homedir(), '.rouse');

interface Running {
  instance_id: string;
  host: string;
  port: number;
  pid: number;
  process_start_ticks: number | null;
  boot_id: string | null;
}
