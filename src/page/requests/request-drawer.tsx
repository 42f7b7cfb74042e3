import { useQuery } from '@tanstack/react-query';
import type { PageReceipt, PageRequest } from '../../wire/index.ts';
import { useMay } from '../frame/session-context.ts';
import { requestOf } from '../live/queries.ts';
import { fromTo, statusWords } from '../model/request-words.ts';
import { goTo, useQueryWord, withQuery } from '../model/router.ts';
import { useAction } from '../parts/action.ts';
import { Age } from '../parts/age.tsx';
import { CommandLine } from '../parts/command-line.tsx';
import { NotLoaded, Trouble } from '../parts/feedback.tsx';
import { Overlay } from '../parts/overlay.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { Answer } from './answer.tsx';
import { RequestText } from './request-text.tsx';

/** One request with its messages. */
export function RequestDrawer() {
  const id = useQueryWord('id');
  if (!id) return null;
  return (
    <Overlay side title="Request" onClose={() => goTo(withQuery({ id: undefined }))}>
      <Opened id={id} />
    </Overlay>
  );
}

function Opened({ id }: { id: string }) {
  const asked = useQuery(requestOf(id));
  const { data } = asked;
  if (!data) return <NotLoaded asked={asked} what="the request" isBare />;
  return <Whole {...data} />;
}

function Whole({ request, messages, command }: PageRequest) {
  return (
    <div className="space-y-4 p-4">
      <div>
        <h2 className="text-base font-semibold">
          <Plain text={request.title} />
        </h2>
        <p className="text-muted">
          <Plain text={`${request.kind}, ${fromTo(request)}, ${statusWords(request)}`} />
          {', '}
          <Age utc={request.created_at} /> old
          {request.nudges > 0 && `, reminded ${request.nudges}×`}
          {request.priority !== null && `, priority ${request.priority}`}
        </p>
      </div>
      <RequestText request={request} messages={messages} />
      {request.answers.length > 0 && <Answer request={request} />}
      {request.cancellable && <Withdraw id={request.id} />}
      <CommandLine command={command} label="Same on the command line" />
    </div>
  );
}

function Withdraw({ id }: { id: string }) {
  const { sending, run } = useAction<PageReceipt>();
  const may = useMay('operate');
  return (
    <div className="space-y-2">
      <button
        type="button"
        className="btn"
        disabled={!may || sending.state === 'sending' || sending.state === 'done'}
        onClick={() => void run(`requests/${encodeURIComponent(id)}/cancel`)}
      >
        Withdraw request
      </button>
      {sending.state === 'failed' && <Trouble error={sending.error} />}
    </div>
  );
}
