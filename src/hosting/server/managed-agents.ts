import { existsSync } from 'node:fs';
import { conflict, isRouseError, listenerUrl, messageOf, unavailable } from '../../base/index.ts';
import type { AgentsConfig } from '../../fleet/hosting.ts';
import {
  type BroughtBack,
  bringBack,
  fleetActions,
  type Handover,
  type LaunchOptions,
  type LaunchReport,
  launch,
  type ManifestFacts,
  type SessionContext,
  type StopOptions,
  type StopReport,
  stop,
} from '../../session/index.ts';
import { Registrations } from './registrations.ts';
import { removeCurrentServer } from './server-place.ts';
import { isServedHeadless, type TrackedAgent } from './tracked-agent.ts';
import { trackedAgents } from './tracked-agents.ts';
import { ServedTurns } from './turns/served-turns.ts';

/** The agents of this host that one server knows; it owns some of them. */
export class ManagedAgents {
  readonly config: AgentsConfig;
  readonly registrations: Registrations;
  readonly session: SessionContext;
  #served = new Map<string, Promise<ServedTurns>>();
  #closed = false;

  constructor(config: AgentsConfig) {
    this.config = config;
    this.session = config.session;
    this.registrations = new Registrations(config);
  }

  /** Resumes what an earlier server of this address owned. An agent that cannot be reached does not stop the others. */
  async start(): Promise<void> {
    for (const facts of await this.registrations.findAgain()) {
      const agent: TrackedAgent = { trackedId: facts.sessionId, owner: 'server', facts };
      if (!isServedHeadless(agent)) continue;
      await this.turnsOf(agent).catch((error: unknown) => {
        this.config.log.warn('an agent cannot be reached', {
          agent: facts.agentName,
          cause: messageOf(error),
        });
      });
    }
  }

  /** Lets go of running turns: they continue, and the next server takes them over. */
  async close(): Promise<void> {
    this.#closed = true;
    const served = [...this.#served.values()];
    this.#served.clear();
    for (const turns of served) await turns.then((each) => each.close()).catch(() => {});
    removeCurrentServer(this.config);
  }

  list(): Promise<TrackedAgent[]> {
    return trackedAgents(this.config, this.registrations);
  }

  /**
   * Launches an agent that this server owns. It is known here only once it is registered; a failure leaves nothing
   * behind.
   */
  async launch(options: LaunchOptions, handed: Handover | undefined): Promise<LaunchReport> {
    const report = await launch(this.#contextFor(handed), {
      ...options,
      owner: { apiBaseUrl: listenerUrl(this.config) },
    });
    try {
      this.registrations.add(report.facts);
      const agent: TrackedAgent = { trackedId: report.facts.sessionId, owner: 'server', facts: report.facts };
      if (isServedHeadless(agent)) await this.turnsOf(agent);
      return report;
    } catch (error) {
      await this.stop({ trackedId: report.facts.sessionId, owner: 'server', facts: report.facts }).catch(
        () => {},
      );
      throw error;
    }
  }

  /** Registers a session that was launched for this server and is not known yet. */
  register(facts: ManifestFacts, observed: { toolVersion?: string | null }): TrackedAgent {
    if (!this.registrations.isOurs(facts)) {
      throw conflict(`the manifest of "${facts.tmuxSessionName}" does not name this server as its owner`, {
        hint: 'sessions of this host need no registration; those of another server are registered there',
        facts: { cause: 'not_this_server', api_base_url: facts.serverBaseUrl ?? null },
      });
    }
    this.registrations.add(facts, observed);
    return { trackedId: facts.sessionId, owner: 'server', facts };
  }

  async stop(agent: TrackedAgent, options: StopOptions = {}): Promise<StopReport> {
    await this.#endTurns(agent);
    const report = await stop(this.session, agent.facts, options);
    this.registrations.remove(agent.facts);
    return report;
  }

  /** A restarted tool has no running turn. Its surface is opened again when it is next needed. */
  async relaunch(agent: TrackedAgent, handed: Handover | undefined): Promise<BroughtBack> {
    await this.#endTurns(agent);
    return bringBack(this.#contextFor(handed), agent.facts, { gateway: 'as_before' });
  }

  /** The server decides where sessions are kept; the caller decides what the tool inherits and which fleet it joins. */
  #contextFor(handed: Handover | undefined): SessionContext {
    const { settings, env } = this.session;
    const fleet = handed?.fleet ?? settings.fleet ?? this.#ownFleet();
    return { ...this.session, env: handed?.env ?? env, settings: { ...settings, fleet } };
  }

  /** An agent that names no fleet joins this server's own, if it can be registered there. */
  #ownFleet(): SessionContext['settings']['fleet'] {
    const { ownTokenFile } = this.config;
    if (ownTokenFile === undefined || !existsSync(ownTokenFile)) return undefined;
    return { url: listenerUrl(this.config), tokenFile: ownTokenFile };
  }

  async #endTurns({ trackedId }: TrackedAgent): Promise<void> {
    const turns = await this.#served.get(trackedId)?.catch(() => undefined);
    this.#served.delete(trackedId);
    await turns?.interrupt('stop');
    await turns?.close();
  }

  /** Returns the turns of a headless agent of this server; they are opened on first use. */
  turnsOf(agent: TrackedAgent): Promise<ServedTurns> {
    const known = this.#served.get(agent.trackedId);
    if (known) return known;
    if (this.#closed) return Promise.reject(unavailable('the server is stopping'));
    const opening = this.#open(agent);
    this.#served.set(agent.trackedId, opening);
    // If opening fails, the next use tries again.
    opening.catch(() => this.#served.delete(agent.trackedId));
    return opening;
  }

  async #open({ trackedId, facts }: TrackedAgent): Promise<ServedTurns> {
    const { openHeadless } = await fleetActions();
    const { log } = this.config;
    const surface = openHeadless(this.session, facts, { log });
    const turns = new ServedTurns({ trackedId, facts, surface, clock: this.session.clock, log });
    try {
      await turns.start();
      return turns;
    } catch (error) {
      await turns.close().catch(() => {});
      if (isRouseError(error)) throw error;
      throw unavailable(`agent ${facts.agentName} cannot be reached`, { cause: error });
    }
  }
}
