import { Emitter, silentLog, systemClock } from '../../src/base/index.ts';
import {
  type HeadlessOptions,
  type HeadlessProgress,
  openHeadlessSurface,
} from '../../src/terminal/headless/index.ts';
import type {
  AgentSurface,
  DeliveryResult,
  Evidence,
  PromptDelivery,
  Stage,
} from '../../src/terminal/index.ts';
import type { HeadlessSession } from './headless-world.ts';

/** A headless surface as a gateway has it, and everything it recorded. */
export class OpenAgent {
  readonly surface: AgentSurface;
  readonly saved: HeadlessProgress[] = [];
  readonly stages = new Emitter<{ requestId: string; stage: Stage; evidence: Evidence }>();
  readonly ledger: { requestId: string; stage: Stage; evidence: Evidence }[] = [];
  #number = 0;

  constructor(session: HeadlessSession, options: Partial<HeadlessOptions> = {}) {
    this.surface = openHeadlessSurface({
      manifest: session.manifest,
      sessionRoot: session.root,
      laneLock: session.laneLock,
      clock: systemClock,
      log: silentLog,
      saveHeadless: async (progress) => {
        this.saved.push(progress);
      },
      ...options,
    });
    this.stages.on((entry) => void this.ledger.push(entry));
  }

  deliver(text: string, change: Partial<PromptDelivery> = {}): Promise<DeliveryResult> {
    const requestId = change.requestId ?? `request-${++this.#number}`;
    return this.surface.deliver({
      requestId,
      text,
      policy: 'ready_only',
      record: async (stage, evidence) => this.stages.emit({ requestId, stage, evidence }),
      ...change,
    });
  }

  stagesOf(requestId: string): Stage[] {
    return this.ledger.filter((entry) => entry.requestId === requestId).map(({ stage }) => stage);
  }

  facts(requestId: string, stage: Stage): Record<string, unknown> {
    return (
      this.ledger.find((entry) => entry.requestId === requestId && entry.stage === stage)?.evidence.facts ??
      {}
    );
  }

  /** Resolves when a stage of any request is recorded. */
  async reached(stage: Stage): Promise<void> {
    if (this.ledger.some((entry) => entry.stage === stage)) return;
    await this.stages.next((entry) => entry.stage === stage);
  }
}

/** Opens, starts, works, closes. */
export async function withAgent<T>(
  session: HeadlessSession,
  work: (agent: OpenAgent) => Promise<T>,
  options: Partial<HeadlessOptions> = {},
): Promise<T> {
  const agent = new OpenAgent(session, options);
  await agent.surface.start();
  try {
    return await work(agent);
  } finally {
    await agent.surface.close();
  }
}
