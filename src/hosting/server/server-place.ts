import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  bootId,
  ensurePrivateDirectory,
  identifyProcess,
  listenerUrl,
  utcStamp,
  writeJsonAtomic,
} from '../../base/index.ts';
import type { AgentsConfig } from '../../fleet/hosting.ts';
import { FLEET_SERVICE, SERVERS_DIRECTORY } from '../../wire/houmao/index.ts';
import { currentServer, sourceView } from '../../wire/index.ts';

/** Where a server keeps its data about its agents: `<runtime>/SERVERS_DIRECTORY/<host>-<port>/`. */
export interface ServerPlace {
  root: string;
  /** One directory per registered agent. */
  managedAgents: string;
  currentInstance: string;
}

export function serverPlace({ session, host, port }: AgentsConfig): ServerPlace {
  const root = path.join(session.settings.runtimeDir, SERVERS_DIRECTORY, `${host}-${port}`);
  return {
    root,
    managedAgents: path.join(root, 'managed_agents'),
    currentInstance: path.join(root, 'run', 'current-instance.json'),
  };
}

export interface CurrentServer {
  schema_version: 1;
  status: 'ok';
  houmao_service: typeof FLEET_SERVICE;
  instance_id: string;
  pid: number;
  process_start_ticks: number | null;
  boot_id: string | null;
  host: string;
  port: number;
  api_base_url: string;
  server_root: string;
  started_at_utc: string;
}

/** Records which server runs here. The port is the lock, so there is only one. */
export function writeCurrentServer(config: AgentsConfig): CurrentServer {
  const place = serverPlace(config);
  const current: CurrentServer = {
    schema_version: 1,
    status: 'ok',
    houmao_service: FLEET_SERVICE,
    instance_id: config.instanceId,
    pid: process.pid,
    process_start_ticks: identifyProcess(process.pid)?.startTicks ?? null,
    boot_id: bootId(),
    host: config.host,
    port: config.port,
    api_base_url: listenerUrl(config),
    server_root: place.root,
    started_at_utc: utcStamp(config.session.clock.now()),
  };
  ensurePrivateDirectory(place.managedAgents);
  ensurePrivateDirectory(path.dirname(place.currentInstance));
  writeJsonAtomic(place.currentInstance, sourceView(currentServer)(current), { durable: false });
  return current;
}

export function removeCurrentServer(config: AgentsConfig): void {
  fs.rmSync(serverPlace(config).currentInstance, { force: true });
}
