import { type ReactNode, useEffect, useState } from 'react';
import type { Sending } from './action.ts';
import { Trouble } from './feedback.tsx';
import { Icon } from './icons.tsx';

/** How long a change can be undone. It waits while the pointer or the focus is on the bar. */
const OFFERED_MS = 8000;

interface Props {
  /** What was done. Another value starts the time again. */
  done: object;
  children: ReactNode;
  sending: Sending<unknown>;
  /** Undefined: there is nothing to undo. */
  undo: (() => void) | undefined;
  onOver: () => void;
}

/** What was changed, and the way back. */
export function UndoBar({ done, children, sending, undo, onOver }: Props) {
  const [isHeld, setHeld] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each change
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(onOver, OFFERED_MS);
    return () => clearTimeout(timer);
  }, [done, isHeld]);
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
        {children}
        {sending.state === 'failed' && <Trouble error={sending.error} />}
      </span>
      {undo && (
        <button
          type="button"
          data-key="z"
          className="btn btn-soft ml-auto"
          disabled={sending.state === 'sending'}
          onClick={undo}
        >
          Undo
        </button>
      )}
      <button type="button" className="btn btn-bare px-1.5" aria-label="Dismiss" onClick={onOver}>
        <Icon name="close" size={14} />
      </button>
    </div>
  );
}
