import type { GatewayClient } from '../../../client/index.ts';

/** From when on an agent stood so. */
export interface StateChange {
  at_utc: string;
  state: string;
  words: string;
}

interface Snapshot {
  recorded_at_utc: string;
  standing?: { state: string; words: string } | undefined;
}

interface Seen {
  newestAtUtc: string;
  changes: StateChange[];
}

/** A snapshot is some kilobytes: after the first time, only the newest are asked for. */
const RECENT = 10;
const KEPT = 500;
const AGENTS = 1000;

interface Wanted {
  agentId: string;
  /** So many snapshots are asked for at first, and after a gap. */
  most: number;
  options?: Parameters<GatewayClient['call']>[2];
}

/** How agents stood, oldest first, as their gateways record it: what was told once is remembered, not asked for again. */
export class SeenStates {
  readonly #seen = new Map<string, Seen>();

  /** Without a gateway, or from one that does not answer: what it told before. */
  async of(gateway: GatewayClient | undefined, wanted: Wanted): Promise<readonly StateChange[]> {
    const known = this.#seen.get(wanted.agentId);
    const now = gateway && (await this.#ask(gateway, wanted, known).catch(() => undefined));
    return (now ?? known)?.changes ?? [];
  }

  async #ask(
    gateway: GatewayClient,
    { agentId, most, options }: Wanted,
    known: Seen | undefined,
  ): Promise<Seen> {
    const ask = async (limit: number): Promise<Snapshot[]> =>
      (await gateway.call('tui.history', { limit }, options)).entries as Snapshot[];
    const recent = known ? await ask(RECENT) : [];
    const newest = recent.at(-1)?.recorded_at_utc;
    // Since then more was recorded than was asked for, or the clock was set back.
    const isGap = !known || !newest || recent[0]!.recorded_at_utc > known.newestAtUtc;
    const isBack = known !== undefined && newest !== undefined && newest < known.newestAtUtc;
    const told = isGap || isBack ? await ask(most) : recent;
    return this.#remember(agentId, isBack ? undefined : this.#seen.get(agentId), told);
  }

  #remember(agentId: string, before: Seen | undefined, told: readonly Snapshot[]): Seen {
    const after = before?.newestAtUtc ?? '';
    const changes = [...(before?.changes ?? [])];
    for (const { recorded_at_utc: at_utc, standing } of told)
      if (standing && at_utc > after && standing.words !== changes.at(-1)?.words)
        changes.push({ at_utc, state: standing.state, words: standing.words });
    const newestAtUtc = told.at(-1)?.recorded_at_utc ?? after;
    const seen = { newestAtUtc: newestAtUtc > after ? newestAtUtc : after, changes: changes.slice(-KEPT) };
    if (this.#seen.size >= AGENTS && !this.#seen.has(agentId)) this.#seen.clear();
    this.#seen.set(agentId, seen);
    return seen;
  }
}
