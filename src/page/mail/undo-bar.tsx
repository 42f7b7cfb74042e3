import { useEffect, useState } from 'react';
import { useStore } from '../model/store.ts';
import { Trouble } from '../parts/feedback.tsx';
import { Icon } from '../parts/icons.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { undoable, useUndo } from './sorting.ts';

/** How long a change can be undone. It waits while the pointer or the focus is on the bar. */
const OFFERED_MS = 8000;

/** What was changed, and the way back. */
export function UndoBar() {
  const last = useStore(undoable);
  const [isHeld, setHeld] = useState(false);
  const { sending, undo } = useUndo();
  useEffect(() => {
    if (!last || isHeld) return;
    const timer = setTimeout(() => undoable.set(undefined), OFFERED_MS);
    return () => clearTimeout(timer);
  }, [last, isHeld]);
  if (!last) return null;
  return (
    <div
      role="status"
      className="undo-bar"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span className="min-w-0">
        <Plain text={last.sentence} />
        {last.failed.map(({ mailbox, message }) => (
          <span key={mailbox} className="block text-need">
            <Plain text={`Not in ${mailbox}: ${message}`} />
          </span>
        ))}
        {sending.state === 'failed' && <Trouble error={sending.error} />}
      </span>
      {last.before.length > 0 && (
        <button
          type="button"
          data-key="z"
          className="btn btn-soft ml-auto"
          disabled={sending.state === 'sending'}
          onClick={() => void undo()}
        >
          Undo
        </button>
      )}
      <button
        type="button"
        className="btn btn-bare px-1.5"
        aria-label="Dismiss"
        onClick={() => undoable.set(undefined)}
      >
        <Icon name="close" size={14} />
      </button>
    </div>
  );
}
