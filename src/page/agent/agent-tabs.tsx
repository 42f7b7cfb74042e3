import { Tabs } from '@base-ui/react/tabs';
import type { PageAgent } from '../../wire/index.ts';
import { goTo, useQueryWord, withQuery } from '../model/router.ts';
import { Quiet } from '../parts/feedback.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { AgentFacts } from './agent-facts.tsx';
import { AgentMail } from './agent-mail.tsx';
import { AgentQueue } from './agent-queue.tsx';
import { AgentReminders } from './agent-reminders.tsx';
import { LiveScreen } from './live-screen.tsx';

const TABS = [
  ['screen', 'Screen'],
  ['mail', 'Mail'],
  ['queue', 'Queue'],
  ['reminders', 'Reminders'],
  ['facts', 'Facts'],
] as const;

interface Props {
  name: string;
  agent: PageAgent;
  /** On this host. Only then its screen can be shown. */
  isLocal: boolean;
  isComplete: boolean;
}

export function AgentTabs({ name, agent, isLocal, isComplete }: Props) {
  const asked = useQueryWord('tab');
  const tab = TABS.find(([word]) => word === asked)?.[0] ?? 'screen';
  const isAsked = isLocal || agent.row.gateway.alive;
  const panel = 'min-h-0 flex-1 overflow-y-auto outline-none';
  return (
    <Tabs.Root
      value={tab}
      onValueChange={(next) =>
        goTo(withQuery({ tab: next === 'screen' ? undefined : String(next) }), 'replace')
      }
      className="card flex h-full min-h-0 flex-col overflow-hidden"
    >
      <Tabs.List className="flex flex-wrap border-b border-line px-2" aria-label={`About ${name}`}>
        {TABS.map(([word, label]) => (
          <Tabs.Tab
            key={word}
            value={word}
            className="shrink-0 border-b-2 border-transparent px-2.5 py-2 whitespace-nowrap font-medium text-muted hover:text-ink focus-visible:outline-offset-[-3px] data-[active]:border-accent data-[active]:text-ink"
          >
            {label}
            {word === 'mail' && agent.row.unread ? ` ${agent.row.unread}` : ''}
            {word === 'queue' && agent.row.queue_depth ? ` ${agent.row.queue_depth}` : ''}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="screen" className={`${panel} flex flex-col`}>
        {isLocal ? <LiveScreen name={name} /> : <Elsewhere agent={agent} />}
      </Tabs.Panel>
      <Tabs.Panel value="mail" className={panel}>
        <AgentMail name={name} />
      </Tabs.Panel>
      <Tabs.Panel value="queue" className={panel}>
        {isAsked ? (
          <AgentQueue name={name} queue={agent.queue} isComplete={isComplete} />
        ) : (
          <Elsewhere agent={agent} />
        )}
      </Tabs.Panel>
      <Tabs.Panel value="reminders" className={panel}>
        {isAsked ? <AgentReminders name={name} /> : <Elsewhere agent={agent} />}
      </Tabs.Panel>
      <Tabs.Panel value="facts" className={panel}>
        <AgentFacts agent={agent} />
      </Tabs.Panel>
    </Tabs.Root>
  );
}

function Elsewhere({ agent }: { agent: PageAgent }) {
  return (
    <Quiet>
      <Plain text={agent.out_of_reach ?? ''} />
    </Quiet>
  );
}
