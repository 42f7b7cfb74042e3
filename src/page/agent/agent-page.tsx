import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { PageAgent, PageReceipt } from '../../wire/index.ts';
import { useLive } from '../live/live.ts';
import { rowNamed } from '../live/picture.ts';
import { agentAt, factsOf } from '../live/queries.ts';
import { useQueryWord } from '../model/router.ts';
import { useAction } from '../parts/action.ts';
import { NotLoaded } from '../parts/feedback.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { AgentHeader } from './agent-header.tsx';
import { AgentTabs } from './agent-tabs.tsx';
import { Composer } from './composer.tsx';
import { LedgerDrawer } from './ledger-drawer.tsx';
import { Timeline } from './timeline.tsx';

/** One agent: what happened, what is on its screen, and a way to write to it. */
export default function AgentPage({ name }: { name: string }) {
  const asked = useQuery(factsOf(name, useQueryWord('tab') === 'queue'));
  const { data } = asked;
  const isHere = useLive(
    ({ picture }) =>
      !picture || picture.agents.has(name) || rowNamed(picture.agents.values(), name) !== undefined,
  );
  useSeen(name);
  if (!isHere) return <NotHere name={name} />;
  if (!data) return <NotLoaded asked={asked} rows={8} what={name} isBare />;
  return <Loaded name={name} agent={data} isComplete={!asked.isPlaceholderData} />;
}

/** Shown instead of the last known state, which would look like the present one. */
function NotHere({ name }: { name: string }) {
  return (
    <div className="px-4 py-6 text-center text-muted">
      <h1 className="mb-1 font-semibold text-ink">
        There is no agent <Plain text={name} />
      </h1>
      It was stopped, or the address is wrong. Its mail is kept in{' '}
      <Link href="/ui/mail" className="text-accent underline">
        Mail
      </Link>
      .{' '}
      <Link href="/ui/" className="text-accent underline">
        All agents
      </Link>
    </div>
  );
}

interface Props {
  name: string;
  agent: PageAgent;
  /** False while the rest is still loading. */
  isComplete: boolean;
}

function Loaded({ name, agent, isComplete }: Props) {
  const isLocal = agent.out_of_reach === null;
  return (
    <div className="mx-auto flex max-w-[90rem] flex-col gap-3 p-3 md:p-4 lg:h-[calc(100dvh-3rem)]">
      <AgentHeader agent={agent} />
      <div className="grid min-h-0 flex-1 gap-3 lg:grid-cols-[minmax(20rem,5fr)_minmax(24rem,7fr)]">
        <div className="order-2 flex min-h-0 min-w-0 flex-col gap-3 lg:order-1">
          <Timeline name={name} />
          <Composer name={name} agent={agent} />
        </div>
        <div className="order-1 min-h-0 min-w-0 lg:order-2">
          <AgentTabs name={name} agent={agent} isLocal={isLocal} isComplete={isComplete} />
        </div>
      </div>
      <LedgerDrawer name={name} />
    </div>
  );
}

/** Opening the page marks the agent's result as seen. */
function useSeen(name: string): void {
  const isUnseen = useLive(({ picture }) => rowNamed(picture?.agents.values(), name)?.done_unseen ?? false);
  const { run } = useAction<PageReceipt>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `run` is a new function at every render
  useEffect(() => {
    if (isUnseen && !document.hidden) void run(`${agentAt(name)}/seen`);
  }, [isUnseen, name]);
}
