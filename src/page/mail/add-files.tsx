import { useState } from 'react';
import { plain } from '../model/plain.ts';
import { Icon } from '../parts/icons.tsx';
import { Plain } from '../parts/plain-text.tsx';

export interface NewFile {
  name: string;
  content_base64: string;
}

const MAX_BYTES = 2_000_000;
const MAX_FILES = 10;

interface Props {
  files: readonly NewFile[];
  set: (files: NewFile[]) => void;
}

export function AddFiles({ files, set }: Props) {
  const [trouble, setTrouble] = useState('');
  const add = async (list: FileList | null): Promise<void> => {
    const chosen = [...(list ?? [])];
    const large = chosen.find(({ size }) => size > MAX_BYTES);
    if (large) return setTrouble(`${plain(large.name)} is larger than 2 MB; send its path instead.`);
    if (files.length + chosen.length > MAX_FILES) return setTrouble(`At most ${MAX_FILES} files.`);
    setTrouble('');
    set([...files, ...(await Promise.all(chosen.map(read)))]);
  };
  return (
    <>
      <label className="btn cursor-pointer focus-within:outline-2 focus-within:outline-accent">
        <Icon name="clip" size={14} />
        Attach
        <input
          type="file"
          multiple
          className="sr-only"
          onChange={({ target }) => {
            void add(target.files).then(() => {
              target.value = '';
            });
          }}
        />
      </label>
      {files.map((file) => (
        <button
          key={file.name}
          type="button"
          className="chip bg-sunken"
          onClick={() => set(files.filter((other) => other !== file))}
          aria-label={`Remove ${plain(file.name)}`}
        >
          <Plain text={file.name} />
          <Icon name="close" size={12} />
        </button>
      ))}
      {trouble && (
        <span role="alert" className="text-xs text-need">
          {trouble}
        </span>
      )}
    </>
  );
}

async function read(file: File): Promise<NewFile> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return { name: file.name, content_base64: btoa(binary) };
}
