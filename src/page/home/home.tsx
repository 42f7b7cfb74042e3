import { useLive } from '../live/live.ts';
import { Loading } from '../parts/said.tsx';
import { Agents } from './agents.tsx';
import { Needs } from './needs.tsx';
import { Troubles } from './troubles.tsx';

/** Who needs me, and why; then everybody. */
export function Home() {
  const isThere = useLive(({ picture }) => picture !== undefined);
  if (!isThere) return <Loading rows={8} what="agents" />;
  return (
    <div className="mx-auto max-w-[90rem] space-y-3 p-3 md:p-4">
      <Needs />
      <Troubles />
      <Agents />
    </div>
  );
}
