import type { ReactNode } from 'react';
import { PageError } from '../model/ask.ts';
import type { Sending } from './action.ts';
import { Plain } from './plain-text.tsx';

/** An error, shown where it happened until it is solved, not as a message that disappears. */
export function Trouble({ error, again }: { error: unknown; again?: (() => void) | undefined }) {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof PageError ? error.hint : undefined;
  return (
    <div role="alert" className="rounded-lg border border-need/40 bg-need-soft px-3 py-2 text-need">
      <p className="font-semibold">
        <Plain text={message} />
      </p>
      {hint && (
        <p className="mt-0.5 text-ink">
          <Plain text={hint} />
        </p>
      )}
      {again && (
        <button type="button" className="btn mt-2" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Quiet({ children }: { children: ReactNode }) {
  return <p className="px-4 py-6 text-center text-muted">{children}</p>;
}

/** A placeholder while something loads, so that nothing jumps. */
export function Loading({ rows = 4, what }: { rows?: number; what: string }) {
  return (
    <div className="space-y-2 p-3" role="status" aria-label={`Loading ${what}`}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all alike
        <div key={row} className="h-7 rounded-md bg-sunken" />
      ))}
    </div>
  );
}

interface NotLoadedProps {
  asked: { error: unknown; refetch: () => unknown };
  /** What is loading, for screen readers. */
  what: string;
  rows?: number;
  /** Adds padding around an error. */
  isBare?: boolean;
}

/** Shown instead of data that is not there: it is loading, or why it failed. */
export function NotLoaded({ asked: { error, refetch }, what, rows, isBare = false }: NotLoadedProps) {
  if (!error) return <Loading what={what} {...(rows !== undefined && { rows })} />;
  const trouble = <Trouble error={error} again={() => void refetch()} />;
  return isBare ? <div className="p-4">{trouble}</div> : trouble;
}

/** The result of a form, in the server's words. */
export function Sent({ sending }: { sending: Sending<{ sentence: string }> }) {
  if (sending.state === 'failed') return <Trouble error={sending.error} />;
  if (sending.state !== 'done') return null;
  return (
    <p role="status" className="text-xs">
      <Plain text={sending.receipt.sentence} />
    </p>
  );
}
