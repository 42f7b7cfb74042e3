import { once } from 'node:events';
import * as fs from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as path from 'node:path';
import { identifyProcess, newUuid, systemClock } from '../../src/base/index.ts';
import { publishRecord } from '../../src/session/records/registry.ts';
import { sampleManifest, sampleRecord, writeSession } from '../../src/session/testing.ts';
import type { ServedWorld } from './served-world.ts';

export interface Seen {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

type Behaviour = (request: http.IncomingMessage, response: http.ServerResponse) => void;

/** An agent of the registry whose gateway is a stand-in: it responds as scripted and records its calls. */
export class StandInAgent {
  readonly seen: Seen[] = [];
  readonly instanceId = newUuid();
  root = '';
  /** The instance in /health; undefined: the recorded one. */
  claims: string | undefined;
  behave: Behaviour = (_, response) => void response.end('{}');
  #server = http.createServer((request, response) => void this.#answer(request, response));

  static async open(world: ServedWorld, name: string): Promise<StandInAgent> {
    const agent = new StandInAgent();
    world.standIns.add(name);
    const { settings } = world.context;
    const sample = {
      agentName: name,
      agentId: `id-${name}`,
      tmuxSessionName: `S-${name}`,
      generationId: newUuid(),
    };
    const manifestPath = writeSession(settings.runtimeDir, {
      ...sampleManifest(sample),
      runtime: { session_id: `local-${name}` },
    });
    agent.root = path.dirname(manifestPath);
    await publishRecord(
      settings.registryDir,
      sampleRecord({ ...sample, manifestPath }, new Date()),
      systemClock,
    );
    agent.#server.listen(0, '127.0.0.1');
    await once(agent.#server, 'listening');
    agent.record();
    return agent;
  }

  /** Writes the instance record of a gateway. */
  record(change: Record<string, unknown> = {}): void {
    const { pid, startTicks, bootId } = identifyProcess(process.pid)!;
    const run = path.join(this.root, 'gateway', 'run');
    fs.mkdirSync(run, { recursive: true });
    const instance = {
      schema_version: 1,
      protocol_version: 'v1',
      pid,
      pid_start_ticks: startTicks,
      boot_id: bootId,
      host: '127.0.0.1',
      port: (this.#server.address() as AddressInfo).port,
      execution_mode: 'detached_process',
      managed_agent_instance_epoch: 1,
      instance_id: this.instanceId,
      ...change,
    };
    fs.writeFileSync(path.join(run, 'current-instance.json'), JSON.stringify(instance));
  }

  /** Writes the fleet file of a registered session. */
  belongsTo(workspaceId: string, url = 'http://127.0.0.1:9889'): void {
    const directory = path.join(this.root, 'fleet');
    fs.mkdirSync(directory, { recursive: true });
    const membership = { schema_version: 1, url, workspace_id: workspaceId, session_id: 's' };
    fs.writeFileSync(path.join(directory, 'fleet.json'), JSON.stringify(membership));
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    response.setHeader('content-type', 'application/json');
    if (url === '/health') {
      const id = this.claims ?? this.instanceId;
      return void response.end(JSON.stringify({ protocol_version: 'v1', status: 'ok', instance_id: id }));
    }
    this.seen.push({ method, url, headers, body: Buffer.concat(await request.toArray()).toString() });
    this.behave(request, response);
  }
}
