import { useLive, usePicture } from '../live/live.ts';
import { Loading } from '../parts/feedback.tsx';
import { late } from '../parts/late.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { Agents } from './agents.tsx';
import { Needs } from './needs.tsx';

const SinceCard = late(
  () => import('../day/since-card.tsx'),
  () => null,
);

/** What needs the person, then all agents. */
export function Home() {
  const isThere = useLive(({ picture }) => picture !== undefined);
  if (!isThere) return <Loading rows={8} what="agents" />;
  return (
    <div className="mx-auto max-w-[90rem] space-y-3 p-3 md:p-4">
      <SinceCard />
      <Needs />
      <Troubles />
      <Agents />
    </div>
  );
}

/** What the server could not read. Everything else is shown as usual. */
function Troubles() {
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
