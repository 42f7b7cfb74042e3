import type { ReactNode } from 'react';
import { PageError } from '../model/ask.ts';
import type { Sending } from './action.ts';
import { Plain } from './plain-text.tsx';

/** What went wrong, where it happened, until it is mended: no message that flies by. */
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

/** Holds the place of what is on its way, so that nothing jumps. */
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
  /** What is awaited, for those who hear the page. */
  what: string;
  rows?: number;
  /** Nothing around it keeps trouble away from the edge. */
  isBare?: boolean;
}

/** In place of what a question has not brought: that it is on its way, or why it does not come. */
export function NotLoaded({ asked: { error, refetch }, what, rows, isBare = false }: NotLoadedProps) {
  if (!error) return <Loading what={what} {...(rows !== undefined && { rows })} />;
  const trouble = <Trouble error={error} again={() => void refetch()} />;
  return isBare ? <div className="p-4">{trouble}</div> : trouble;
}

/** What became of what a form sent, in the server's words. */
export function Sent({ sending }: { sending: Sending<{ sentence: string }> }) {
  if (sending.state === 'failed') return <Trouble error={sending.error} />;
  if (sending.state !== 'done') return null;
  return (
    <p role="status" className="text-xs">
      <Plain text={sending.receipt.sentence} />
    </p>
  );
}
