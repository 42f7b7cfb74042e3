import type { PageReceipt } from '../../wire/index.ts';
import { agentAt } from '../live/queries.ts';
import { queryClient } from '../live/query-client.ts';
import { createStore, useStore } from '../model/store.ts';
import { useAction } from '../parts/action.ts';
import { Plain } from '../parts/plain-text.tsx';
import { UndoBar } from '../parts/undo-bar.tsx';

/** The last reminder that was removed; undefined once it can no longer be brought back. */
export const removedReminder = createStore<{ agent: string; receipt: PageReceipt } | undefined>(undefined);

/** Brings back the reminder that was just removed. */
export function UndoRemoval() {
  const last = useStore(removedReminder);
  const { sending, run } = useAction<PageReceipt>();
  if (!last) return null;
  const undo = async () => {
    const path = `${agentAt(last.agent)}/reminders/restore`;
    if (await run(path, { removal: last.receipt.action_id })) removedReminder.set(undefined);
    void queryClient.invalidateQueries({ queryKey: ['reminders'] });
  };
  return (
    <UndoBar
      done={last}
      sending={sending}
      undo={() => void undo()}
      onOver={() => removedReminder.set(undefined)}
    >
      <Plain text={last.receipt.sentence} />
    </UndoBar>
  );
}
