import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  crashPoint,
  ensurePrivateDirectory,
  listenerUrl,
  messageOf,
  readJsonIfExists,
  utcStamp,
  writeJsonAtomic,
} from '../../base/index.ts';
import type { AgentsConfig } from '../../fleet/hosting.ts';
import { fleetActions, type ManifestFacts } from '../../session/index.ts';
import { serverPlace } from './server-place.ts';
import { terminalIdOf } from './tracked-agent.ts';

/**
 * Which sessions this server has registered. A session is known here from the moment its registration is on disk and
 * not before, however much of it is published already. Its manifest is the authority on everything else.
 */
export class Registrations {
  readonly #config: AgentsConfig;
  readonly #directory: string;

  constructor(config: AgentsConfig) {
    this.#config = config;
    this.#directory = serverPlace(config).managedAgents;
  }

  has(facts: ManifestFacts): boolean {
    return this.#read(facts)?.manifest_path === facts.path;
  }

  add(facts: ManifestFacts, observed: { toolVersion?: string | null } = {}): void {
    if (this.has(facts)) return;
    crashPoint('fleet.agents.before_register');
    ensurePrivateDirectory(this.#place(facts));
    writeJsonAtomic(this.#file(facts), {
      schema_version: 1,
      tracked_agent_id: facts.sessionId,
      manifest_path: facts.path,
      session_root: facts.root,
      session_name: facts.tmuxSessionName,
      tool: facts.tool,
      terminal_id: terminalIdOf(facts),
      observed_tool_version: observed.toolVersion ?? null,
      agent_name: facts.agentName,
      agent_id: facts.agentId,
      registered_at_utc: utcStamp(this.#config.session.clock.now()),
    });
    crashPoint('fleet.agents.registered');
  }

  remove(facts: ManifestFacts): void {
    fs.rmSync(this.#place(facts), { recursive: true, force: true });
  }

  /** Whether the manifest names this very server. A server on another port is another server. */
  isOurs({ serverBaseUrl, serverAgentRef }: ManifestFacts): boolean {
    return serverAgentRef !== undefined && serverBaseUrl === listenerUrl(this.#config);
  }

  /**
   * After a restart: finds the live sessions whose manifests name this server, including one whose launch was cut short
   * before its registration. A lost session stays known while the registry has it, so that it can be relaunched. A
   * registration that is gone from the registry is forgotten.
   */
  async findAgain(): Promise<ManifestFacts[]> {
    const { session } = this.#config;
    const { LiveSessions, manifests, publishForgotten, readRegistry, tryManifestFacts } =
      await fleetActions();
    const sessions = new LiveSessions(session.env);
    await publishForgotten(session, sessions);
    const { fresh } = readRegistry(session.settings.registryDir, session.clock.now().getTime());
    const found: ManifestFacts[] = [];
    for (const file of manifests(session.settings.runtimeDir)) {
      const facts = tryManifestFacts(file);
      if (!facts || !this.isOurs(facts)) continue;
      const known = fresh.some(({ runtime }) => runtime.manifest_path === facts.path);
      const lives = known && (await sessions.nameOf(facts)) !== undefined;
      if (!known) this.remove(facts);
      if (lives) this.add(facts);
      if (lives) found.push(facts);
    }
    return found;
  }

  #read(facts: ManifestFacts): { manifest_path?: unknown } | undefined {
    try {
      return readJsonIfExists(this.#file(facts)) as { manifest_path?: unknown } | undefined;
    } catch (error) {
      this.#config.log.warn('a registration cannot be read', {
        file: this.#file(facts),
        cause: messageOf(error),
      });
      return undefined;
    }
  }

  #place({ sessionId }: ManifestFacts): string {
    return path.join(this.#directory, path.basename(sessionId));
  }

  #file(facts: ManifestFacts): string {
    return path.join(this.#place(facts), 'registration.json');
  }
}
