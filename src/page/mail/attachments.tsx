import { useState } from 'react';
import type { PageMessage } from '../../wire/index.ts';
import { askRaw } from '../model/ask.ts';
import { plain } from '../model/plain.ts';
import { Trouble } from '../parts/feedback.tsx';
import { Icon } from '../parts/icons.tsx';
import { Plain } from '../parts/plain-text.tsx';

interface Props {
  mailbox: string;
  reference: string;
  attachments: PageMessage['attachments'];
}

/** Files are saved, never opened here: they come from agents. */
export function Attachments({ mailbox, reference, attachments }: Props) {
  const [error, setError] = useState<unknown>();
  const save = async (id: string, name: string): Promise<void> => {
    setError(undefined);
    try {
      const response = await askRaw('mail/attachment', {
        query: { mailbox, ref: reference, attachment: id },
      });
      offer(await response.blob(), name);
    } catch (failed) {
      setError(failed);
    }
  };
  if (attachments.length === 0) return null;
  return (
    <div className="space-y-1">
      <ul className="flex flex-wrap gap-1.5">
        {attachments.map(({ attachment_id, label, media_type, size_bytes }) => (
          <li key={attachment_id}>
            <button
              type="button"
              className="btn h-auto max-w-full whitespace-normal"
              onClick={() => void save(attachment_id, label ?? attachment_id)}
            >
              <Icon name="clip" size={14} />
              <Plain text={label ?? attachment_id} />
              <span className="font-normal text-muted">
                <Plain
                  text={[media_type, size_bytes == null ? '' : sizeInWords(size_bytes)]
                    .filter(Boolean)
                    .join(', ')}
                />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {error !== undefined && <Trouble error={error} />}
    </div>
  );
}

function offer(blob: Blob, name: string): void {
  // Always plain bytes, whatever type the file claims, so that the browser only saves it.
  const url = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = plain(name).replace(/[/\\]/g, '_');
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function sizeInWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
