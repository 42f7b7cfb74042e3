import { limit, type MailMessage } from '../../../domain/index.ts';
import type { Mailbox, MailStep } from '../../../mail/index.ts';
import { findLoops, type PausedThread, type ResumedThread } from './find-loops.ts';
import type { ThreadStore } from './thread-store.ts';

/** Finds the paused threads of the open mail. Each reply is followed back once, however often the mailbox changes. */
export class MailLoops {
  readonly #threads: ThreadStore;
  #trails = new Map<string, MailStep[]>();

  constructor(threads: ThreadStore) {
    this.#threads = threads;
  }

  async find(
    mailbox: Mailbox,
    open: readonly MailMessage[],
  ): Promise<{ paused: PausedThread[]; resumed: ResumedThread[] }> {
    const max = limit('automaticReplies');
    const trails = new Map<string, MailStep[]>();
    const replies = [];
    for (const { message_ref: ref, in_reply_to_ref, thread_ref } of open) {
      if (in_reply_to_ref === null || thread_ref === null || !mailbox.trail) continue;
      const trail = this.#trails.get(ref) ?? (await mailbox.trail(ref, max));
      trails.set(ref, trail);
      replies.push({ thread_ref, trail });
    }
    this.#trails = trails;
    return findLoops(replies, { resumedAt: (thread) => this.#threads.resumedAt(thread), limit: max });
  }
}
