import { useQuery } from '@tanstack/react-query';
import { NEEDS } from '../../domain/tables.ts';
import type { PageNeed } from '../../wire/index.ts';
import { DialogCard } from '../agent/dialog-card.tsx';
import { useScreen } from '../agent/use-screen.ts';
import { requestOf } from '../live/queries.ts';
import { agentPath } from '../model/router.ts';
import { Loading, NotLoaded, Trouble } from '../parts/feedback.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { Answer } from '../requests/answer.tsx';
import { RequestText } from '../requests/request-text.tsx';
import { keepReceipt } from './receipts.ts';

/** What settles a need without leaving home: the dialog of an agent, or a request to people. */
export default function NeedInPlace({ need }: { need: PageNeed }) {
  const onDone = (sentence: string) => keepReceipt(need.key, sentence);
  if (NEEDS[need.kind].inPlace === 'dialog' && need.agent)
    return <AgentDialog name={need.agent} onDone={onDone} />;
  if (need.request_id !== null) return <AskedRequest id={need.request_id} onDone={onDone} />;
  return null;
}

interface Settled {
  onDone: (sentence: string) => void;
}

function AgentDialog({ name, onDone }: { name: string } & Settled) {
  const { screen, error } = useScreen(name);
  if (!screen && error)
    return (
      <div className="p-4">
        <Trouble error={error} />
      </div>
    );
  if (!screen) return <Loading what={`the dialog of ${name}`} rows={3} />;
  if (screen.dialog)
    return <DialogCard key={screen.dialog.hash} name={name} dialog={screen.dialog} onDone={onDone} />;
  return (
    <p className="px-4 pb-3 text-muted">
      No dialog is on its screen now.{' '}
      <Link href={`${agentPath(name)}?tab=screen`} className="text-accent underline">
        See its screen
      </Link>
    </p>
  );
}

function AskedRequest({ id, onDone }: { id: string } & Settled) {
  const asked = useQuery(requestOf(id));
  const { data } = asked;
  if (!data) return <NotLoaded asked={asked} what="the request" isBare />;
  return (
    <section aria-label="The request" className="space-y-2 px-4 pb-3">
      <p className="font-semibold">
        <Plain text={data.request.title} />
      </p>
      <RequestText request={data.request} messages={data.messages} />
      {data.request.answers.length > 0 && <Answer request={data.request} hasKeys onDone={onDone} />}
    </section>
  );
}
