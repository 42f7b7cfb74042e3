import { commandLine, conflict, notFound, unavailable } from '../../../base/index.ts';
import { GatewayClient } from '../../../client/index.ts';
import type { GatewayRecords } from '../../../gateway/offline.ts';
import {
  type GatewayLife,
  type ManifestFacts,
  probeGateway,
  readToken,
  type SessionContext,
  type SessionPaths,
  sessionPaths,
} from '../../../session/index.ts';
import type { Caller, PageAgentRow } from '../../../wire/index.ts';
import { ELSEWHERE } from '../host/agent-rows.ts';
import type { HostView } from '../host/host-view.ts';
import type { KeptOpen } from '../kept-open.ts';

/** Returns the gateway of an agent on another host, for the named caller. */
export type GatewayElsewhere = (workspaceId: string, who: string) => GatewayClient;

/** An agent as a page names it. */
export interface ReachedAgent {
  row: PageAgentRow;
  /** Its files; undefined for an agent on another host, or one whose manifest cannot be read. */
  facts: ManifestFacts | undefined;
  paths: SessionPaths | undefined;
}

/** A view of an agent on another host leaves out what its gateway has not reported by then. */
export const remoteTimeout = (): { signal: AbortSignal } => ({ signal: AbortSignal.timeout(4000) });

/** How long a running gateway may take to respond to an action. */
const PATIENCE_MS = 10_000;

/** An agent whose host the registry does not know is on "another host". */
export const hostWords = ({ host }: PageAgentRow): string => (host === ELSEWHERE ? host : `host ${host}`);

/** Finds the agents of the picture, and the files and gateways of those on this host. */
export class AgentReach {
  readonly #view: HostView;
  readonly #session: SessionContext | undefined;
  readonly #elsewhere: GatewayElsewhere;
  readonly #readers: KeptOpen<GatewayRecords>;

  constructor(parts: {
    view: HostView;
    session: SessionContext | undefined;
    elsewhere: GatewayElsewhere;
    readers: KeptOpen<GatewayRecords>;
  }) {
    this.#view = parts.view;
    this.#session = parts.session;
    this.#elsewhere = parts.elsewhere;
    this.#readers = parts.readers;
  }

  /** By name, or by id if two share a name. */
  async find(name: string): Promise<ReachedAgent> {
    const rows = await this.#view.agents();
    const named = rows.filter((row) => row.name === name);
    const local = named.filter(({ here }) => here);
    const [row, another] =
      local.length > 0 ? local : named.length > 0 ? named : rows.filter(({ id }) => id === name);
    if (!row) throw notFound(`there is no agent ${name}`, { hint: '"rouse ls" shows the agents there are' });
    if (another)
      throw conflict(`several agents are called ${name}`, {
        hint: 'name it by its id',
        facts: { agent_ids: named.map(({ id }) => id) },
      });
    const facts = this.#view.picture.roster.known.get(row.id)?.facts;
    return { row, facts, paths: facts && sessionPaths(facts.root) };
  }

  /** Why its session cannot be reached; null if it can. */
  whyNot({ row, facts }: ReachedAgent): string | null {
    if (!row.here) return `on ${hostWords(row)}; its screen, dialogs and files can be used only there`;
    return facts ? null : 'its manifest cannot be read';
  }

  requireHere(agent: ReachedAgent): SessionPaths {
    const why = this.whyNot(agent);
    if (why === null) return agent.paths!;
    throw unavailable(`${agent.row.name} is ${why}`, { facts: { cause: 'elsewhere', host: agent.row.host } });
  }

  /**
   * Returns its gateway, once it has proven to be the recorded one; undefined if none is alive. On another host, the
   * registry decides.
   */
  async gateway(agent: ReachedAgent): Promise<GatewayClient | undefined> {
    if (!agent.row.here) return agent.row.gateway.alive ? this.#far(agent) : undefined;
    const found = await this.#probe(agent);
    return found instanceof GatewayClient ? found : undefined;
  }

  /**
   * For actions that need the gateway: waits longer, and says why if it is missing. The gateway allows what the caller
   * may do: a session of the page, unless the server itself decides what is sent.
   */
  async requireGateway(
    agent: ReachedAgent,
    who?: { name: string },
    caller: Caller = 'page',
  ): Promise<GatewayClient> {
    if (!agent.row.here) return this.#far(agent, who) ?? this.#away(agent);
    this.requireHere(agent);
    const { name, needs_you } = agent.row;
    const found = await this.#probe(agent, { patienceMs: PATIENCE_MS, caller });
    if (found instanceof GatewayClient) return found;
    if (found?.life === 'silent' || found?.life === 'restarting')
      throw unavailable(`the gateway of ${name} does not answer: ${found.reason}`, {
        hint: 'nothing was done; try again',
        facts: { cause: 'gateway_unreachable' },
      });
    throw unavailable(`${name} has no live gateway`, {
      hint: needs_you ?? `attach one with "${commandLine`rouse agents gateway attach ${name}`}"`,
      facts: { cause: 'no_live_gateway' },
    });
  }

  /**
   * Returns the gateway of the one agent on another host with this name; undefined if this host has one, or none does.
   */
  async gatewayElsewhere(name: string, who: { name: string }): Promise<GatewayClient | undefined> {
    const named = (await this.#view.agents()).filter((row) => row.name === name);
    const [row] = named;
    if (!row || named.length > 1 || row.here) return undefined;
    return this.requireGateway({ row, facts: undefined, paths: undefined }, who);
  }

  #far({ row }: ReachedAgent, who?: { name: string }): GatewayClient | undefined {
    const workspaceId = this.#view.picture.workspaceOf(row.id);
    return workspaceId === undefined
      ? undefined
      : this.#elsewhere(workspaceId, who ? `page ${who.name}` : 'page');
  }

  #away(agent: ReachedAgent): never {
    this.requireHere(agent);
    throw notFound(`there is no agent ${agent.row.name}`);
  }

  async #probe(
    agent: ReachedAgent,
    { patienceMs, caller = 'page' }: { patienceMs?: number; caller?: Caller } = {},
  ): Promise<GatewayClient | GatewayLife | undefined> {
    if (!agent.paths || !this.#session) return undefined;
    const token = readToken(agent.paths, this.#session.env);
    const life = await probeGateway(agent.paths, token, patienceMs);
    if (life.life !== 'live') return life;
    const { host, port } = life.gateway;
    return new GatewayClient({ host, port, token, caller, timeoutMs: 30_000 });
  }

  /** Reads its files, whether or not a gateway is alive; undefined before the first one. */
  records<T>(agent: ReachedAgent, read: (records: GatewayRecords) => T): T | undefined {
    return this.#readers.useIfThere(this.requireHere(agent).gateway, read);
  }
}
