import { useState } from 'react';
import { plain } from '../model/plain.ts';
import { Icon } from './icons.tsx';
import { Plain } from './plain-text.tsx';

/** The command that does the same, to learn it or to put it into a script. */
export function CommandLine({ command, label }: { command: string; label?: string }) {
  const { isCopied, copy } = useCopied(command);
  return (
    <div className="flex min-w-0 items-start gap-2 rounded-md bg-sunken px-2 py-0.5">
      <div className="min-w-0 flex-1 py-0.5 text-xs">
        {label && <span className="mr-2 text-muted">{label}</span>}
        <code className="font-mono whitespace-pre-wrap">
          <span className="text-muted select-none">$ </span>
          <Plain text={command} />
        </code>
      </div>
      <button
        type="button"
        className="btn btn-bare min-h-6 px-1.5"
        onClick={copy}
        aria-label={isCopied ? 'Copied' : `Copy the command${label ? `: ${label}` : ''}`}
      >
        <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      </button>
    </div>
  );
}

/** Only the button that copies it. */
export function CopyCommand({ command }: { command: string }) {
  const { isCopied, copy } = useCopied(command);
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

/** Copies a command; `isCopied` for two seconds after that. */
function useCopied(command: string): { isCopied: boolean; copy: () => void } {
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard?.writeText(command).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    });
  return { isCopied, copy };
}
