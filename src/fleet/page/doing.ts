import { type Clock, utcStamp } from '../../base/index.ts';
import type { PageReceipt } from '../../wire/index.ts';
import type { Act, PageAudit } from './audit/page-audit.ts';
import type { Session } from './door/page-sessions.ts';
import { actorOf } from './door/session-handlers.ts';

export interface Done {
  sentence: string;
  /** Default: done. */
  status?: PageReceipt['status'];
  ref?: string | null;
  command?: string | null;
}

/** Runs a person's action: once per click, audited, with a receipt. */
export class Doing {
  readonly #audit: PageAudit;
  readonly #clock: Clock;

  constructor(audit: PageAudit, clock: Clock) {
    this.#audit = audit;
    this.#clock = clock;
  }

  now(): Date {
    return this.#clock.now();
  }

  once<T extends { repeated: boolean }>(session: Session, act: Act, work: () => Promise<T>): Promise<T> {
    return this.#audit.once(actorOf(session), act, work);
  }

  receipt(session: Session, act: Act, work: () => Promise<Done>): Promise<PageReceipt> {
    return this.once(session, act, async () => {
      const { sentence, status = 'done', ref = null, command = null } = await work();
      return {
        action_id: act.actionId,
        status,
        sentence,
        at_utc: utcStamp(this.now()),
        ref,
        repeated: false,
        command,
      };
    });
  }
}
