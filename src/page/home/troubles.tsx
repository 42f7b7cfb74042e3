import { usePicture } from '../live/live.ts';
import { Plain } from '../parts/plain-text.tsx';

/** What the server could not read; the rest is shown as it is. */
export function Troubles() {
  const troubles = usePicture((picture) => picture.troubles) ?? [];
  if (troubles.length === 0) return null;
  return (
    <details className="card px-4 py-2 text-wait">
      <summary>
        {troubles.length} {troubles.length === 1 ? 'thing' : 'things'} could not be read
      </summary>
      <ul className="mt-1 list-disc pl-5 text-muted">
        {troubles.map((trouble) => (
          <li key={trouble}>
            <Plain text={trouble} />
          </li>
        ))}
      </ul>
    </details>
  );
}
