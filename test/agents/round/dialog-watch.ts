import { setTimeout as wait } from 'node:timers/promises';
import { type AgentUnderTest, dialogOf } from '../support/agent-under-test.ts';

const LOOKS_EVERY_MS = 100;
const UNKNOWN_FOR_MS = 2_000;
/** A tool may ignore a key that is pressed while its dialog opens. */
const PRESSES_EVERY_MS = 2_000;

/** Sees dialogs as they open. If a tool cannot be configured in advance, it presses the key that a person would. */
export class DialogWatch {
  readonly #agents: AgentUnderTest[];
  readonly #counts: { dialogs: number; approvals: number };
  readonly #limit: number;
  readonly #fault: () => string | undefined;
  readonly #open = new Map<string, { since: number; counted: boolean }>();

  constructor(
    agents: AgentUnderTest[],
    counts: { dialogs: number; approvals: number },
    { limitMs, fault }: { limitMs: number; fault: () => string | undefined },
  ) {
    this.#agents = agents;
    this.#counts = counts;
    this.#limit = Date.now() + limitMs;
    this.#fault = fault;
  }

  async until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds().catch(isAway))) {
      const fault = Date.now() > this.#limit ? 'nothing more happened' : this.#fault();
      if (fault !== undefined) throw new Error(fault);
      for (const agent of this.#agents) await this.#look(agent);
      await wait(LOOKS_EVERY_MS);
    }
  }

  async #look(agent: AgentUnderTest): Promise<void> {
    const dialog = await agent.gateway.tuiState().then(dialogOf, isAway);
    const seen = this.#open.get(agent.name);
    if (!dialog) return void this.#open.delete(agent.name);
    if (!seen) return void this.#open.set(agent.name, { since: Date.now(), counted: false });
    // A screen that is being drawn is not recognised for a moment; that is no dialog.
    const forMs = Date.now() - seen.since;
    if (dialog.kind === 'unknown' && forMs < UNKNOWN_FOR_MS) return;
    const { approveKeys } = agent.tool;
    if (!seen.counted) this.#counts[approveKeys ? 'approvals' : 'dialogs']++;
    else if (forMs < PRESSES_EVERY_MS) return;
    this.#open.set(agent.name, { since: Date.now(), counted: true });
    if (approveKeys) agent.keys(...approveKeys);
  }
}

/** A gateway does not answer while it restarts. */
function isAway(error: { code?: string }): false {
  if (error.code === 'unavailable') return false;
  throw error;
}
