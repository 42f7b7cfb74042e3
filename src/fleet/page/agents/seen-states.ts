import type { GatewayClient } from '../../../client/index.ts';
import type { Standing } from '../../../domain/index.ts';

/** When an agent's state began. */
export interface StateChange {
  at_utc: string;
  state: Standing['state'];
  words: string;
}

interface Snapshot {
  recorded_at_utc: string;
  standing?: Pick<Standing, 'state' | 'words'> | undefined;
}

interface KnownStates {
  newestAtUtc: string;
  changes: StateChange[];
}

/** A snapshot is a few kilobytes: after the first time, only the newest are requested. */
const RECENT = 10;
const KEPT = 500;
const AGENTS = 1000;

interface StatesQuery {
  agentId: string;
  /** How many snapshots are requested at first, and after a gap. */
  max: number;
  options?: Parameters<GatewayClient['call']>[2];
}

/**
 * Past states of agents, oldest first, as their gateways record them. What was read once is remembered, not read again.
 */
export class SeenStates {
  readonly #seen = new Map<string, KnownStates>();

  /** Without a gateway, or if it does not respond: what it reported before. */
  async of(gateway: GatewayClient | undefined, wanted: StatesQuery): Promise<readonly StateChange[]> {
    const known = this.#seen.get(wanted.agentId);
    const now = gateway && (await this.#ask(gateway, wanted, known).catch(() => undefined));
    return (now ?? known)?.changes ?? [];
  }

  async #ask(
    gateway: GatewayClient,
    { agentId, max, options }: StatesQuery,
    known: KnownStates | undefined,
  ): Promise<KnownStates> {
    const ask = async (limit: number): Promise<Snapshot[]> =>
      (await gateway.call('tui.history', { limit }, options)).entries as Snapshot[];
    const recent = known ? await ask(RECENT) : [];
    const newest = recent.at(-1)?.recorded_at_utc;
    // More was recorded since then than was requested, or the clock was set back.
    const isGap = !known || !newest || recent[0]!.recorded_at_utc > known.newestAtUtc;
    const isBack = known !== undefined && newest !== undefined && newest < known.newestAtUtc;
    const snapshots = isGap || isBack ? await ask(max) : recent;
    return this.#remember(agentId, isBack ? undefined : this.#seen.get(agentId), snapshots);
  }

  #remember(agentId: string, before: KnownStates | undefined, snapshots: readonly Snapshot[]): KnownStates {
    const after = before?.newestAtUtc ?? '';
    const changes = [...(before?.changes ?? [])];
    for (const { recorded_at_utc: at_utc, standing } of snapshots)
      if (standing && at_utc > after && standing.words !== changes.at(-1)?.words)
        changes.push({ at_utc, state: standing.state, words: standing.words });
    const newestAtUtc = snapshots.at(-1)?.recorded_at_utc ?? after;
    const seen = { newestAtUtc: newestAtUtc > after ? newestAtUtc : after, changes: changes.slice(-KEPT) };
    if (this.#seen.size >= AGENTS && !this.#seen.has(agentId)) this.#seen.clear();
    this.#seen.set(agentId, seen);
    return seen;
  }
}
