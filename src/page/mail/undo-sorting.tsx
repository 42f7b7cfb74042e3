import { useStore } from '../model/store.ts';
import { Plain } from '../parts/plain-text.tsx';
import { UndoBar } from '../parts/undo-bar.tsx';
import { undoable, useUndo } from './sorting.ts';

/** The last change of mail. */
export function UndoSorting() {
  const last = useStore(undoable);
  const { sending, undo } = useUndo();
  if (!last) return null;
  return (
    <UndoBar
      done={last}
      sending={sending}
      undo={last.before.length > 0 ? () => void undo() : undefined}
      onOver={() => undoable.set(undefined)}
    >
      <Plain text={last.sentence} />
      {last.failed.map(({ mailbox, message }) => (
        <span key={mailbox} className="block text-need">
          <Plain text={`Not in ${mailbox}: ${message}`} />
        </span>
      ))}
    </UndoBar>
  );
}
