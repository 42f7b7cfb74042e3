import { useState } from 'react';
import { plain } from '../model/plain.ts';
import { Icon } from './icons.tsx';

/** What came while rows were held in place. It stands in a line that is always there. */
export function NewRows({ fresh, show }: { fresh: number; show: () => void }) {
  if (fresh === 0) return null;
  return (
    <button type="button" className="chip bg-accent text-accent-ink" onClick={show}>
      {fresh} new · show
    </button>
  );
}

export function CopyCommand({ command }: { command: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard?.writeText(command).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    });
  const label = isCopied ? 'Copied' : `Copy the command: ${plain(command)}`;
  return (
    <button
      type="button"
      className="btn btn-bare px-1.5 text-muted"
      onClick={copy}
      aria-label={label}
      title={label}
    >
      <Icon name={isCopied ? 'check' : 'copy'} size={15} />
    </button>
  );
}
