import type { PageMailSorted, PageReceipt } from '../../wire/index.ts';
import { queryClient } from '../live/query-client.ts';
import { createStore } from '../model/store.ts';
import { type Action, useAction } from '../parts/action.ts';

export interface Change {
  read?: boolean;
  archived?: boolean;
}

export interface Chosen {
  mailbox: string;
  refs: readonly string[];
}

/** The last change that can be undone; undefined once its time is over. */
export const undoable = createStore<PageMailSorted | undefined>(undefined);

/** Of one action; the server refuses more. */
const MAX_MESSAGES = 1000;

const refetch = (): void => {
  void queryClient.invalidateQueries({ queryKey: ['mail'] });
};

/** Sorts mail, and offers to undo it. */
export function useSorting(): Pick<Action<PageMailSorted>, 'sending'> & {
  sort: (chosen: readonly Chosen[], change: Change) => Promise<PageMailSorted | undefined>;
} {
  const { sending, run } = useAction<PageMailSorted>();
  return {
    sending,
    async sort(chosen, change) {
      let left = MAX_MESSAGES;
      const sent = chosen.flatMap(({ mailbox, refs }) => {
        const some = refs.slice(0, left);
        left -= some.length;
        return some.length > 0 ? [{ mailbox, refs: some }] : [];
      });
      if (sent.length === 0) return undefined;
      const sorted = await run('mail/sort', { chosen: sent, ...change });
      if (sorted) undoable.set(sorted);
      refetch();
      return sorted;
    },
  };
}

/** Opening a conversation marks it as read; that is not offered to be undone. */
export function useMarkRead(): (mailbox: string, refs: readonly string[]) => Promise<void> {
  const { run } = useAction<PageMailSorted>();
  return async (mailbox, refs) => {
    await run('mail/sort', { chosen: [{ mailbox, refs }], read: true });
    refetch();
  };
}

/** Puts back what the last change found. */
export function useUndo(): { sending: Action<PageReceipt>['sending']; undo: () => Promise<void> } {
  const { sending, run } = useAction<PageReceipt>();
  return {
    sending,
    async undo() {
      const last = undoable.get();
      if (!last || last.before.length === 0) return;
      if (await run('mail/restore', { before: last.before })) undoable.set(undefined);
      refetch();
    },
  };
}
