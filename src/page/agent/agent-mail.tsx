import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { mailboxOf, mailList } from '../live/queries.ts';
import { ConversationRow } from '../mail/conversation-row.tsx';
import { keyOf } from '../mail/names.ts';
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
  const rows = data.pages.flatMap((page) => page.conversations);
  if (rows.length === 0) return <Quiet>No mail.</Quiet>;
  return (
    <ul>
      {rows.map((row) => (
        <ConversationRow key={keyOf(row)} row={row} />
      ))}
    </ul>
  );
}
