import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { mailboxOf, mailList } from '../live/queries.ts';
import { MessageRow } from '../mail/message-row.tsx';
import { Loading, Quiet, Trouble } from '../parts/feedback.tsx';

/** The agent's own mailbox; messages open in the mail view. */
export function AgentMail({ name }: { name: string }) {
  const { data, error } = useQuery(mailboxOf(name));
  if (error) return <Trouble error={error} />;
  if (!data) return <Loading what="mail" />;
  const { own } = data;
  return own ? <Messages mailbox={own.id} /> : <Quiet>It has no mailbox on this host.</Quiet>;
}

function Messages({ mailbox }: { mailbox: string }) {
  const { data, error } = useInfiniteQuery(mailList({ mailbox }));
  if (error && !data) return <Trouble error={error} />;
  if (!data) return <Loading what="mail" />;
  const messages = data.pages.flatMap((page) => page.messages);
  if (messages.length === 0) return <Quiet>No mail.</Quiet>;
  return (
    <ul>
      {messages.map((message) => (
        <MessageRow key={message.message_ref} message={message} box={undefined} isOpen={false} />
      ))}
    </ul>
  );
}
