import { isRouseError } from '../../base/index.ts';
import type { MailMessageView, NotifierDecision } from '../../wire/index.ts';
import type { TargetInput } from '../agents/target.ts';
import { askMail } from '../mail/agent-door.ts';
import { show } from '../print/table.ts';
import type { WhySource } from './source.ts';

export interface MessageFacts {
  message_ref: string;
  announced_by: string | null;
  found: Pick<MailMessageView, 'box' | 'read' | 'archived' | 'subject' | 'created_at_utc'> | null;
  problem: string | null;
}

export async function messageFacts(
  input: TargetInput,
  source: WhySource,
  ref: string,
): Promise<MessageFacts> {
  const announced_by = await source.announcedBy(ref);
  try {
    const { message } = (await askMail(input, 'peek', { message_ref: ref })) as unknown as {
      message: MailMessageView;
    };
    const { message_ref, box, read, archived, subject, created_at_utc } = message;
    return {
      message_ref,
      announced_by,
      found: { box, read, archived, subject, created_at_utc },
      problem: null,
    };
  } catch (error) {
    if (!isRouseError(error)) throw error;
    return { message_ref: ref, announced_by, found: null, problem: error.message };
  }
}

/**
 * `named`: the decision lists the message. `counted`: the decision was about more mail than it lists, and this message
 * arrived between the oldest and the newest that it lists.
 */
export function partIn(decision: NotifierDecision, message: MessageFacts): 'named' | 'counted' | undefined {
  const { message_ref, announced_by, found } = message;
  if (announced_by !== null && decision.enqueued_request_id === announced_by) return 'named';
  const listed = decision.unread_summary;
  if (listed.some((each) => each['message_ref'] === message_ref)) return 'named';
  if (!found || (decision.unread_count ?? 0) <= listed.length) return undefined;
  const arrived = Date.parse(found.created_at_utc);
  const [lastOld, newest] = listed.slice(-2).map((each) => Date.parse(String(each['created_at_utc'])));
  return arrived >= lastOld! && arrived <= newest! ? 'counted' : undefined;
}

export function messageLines(message: MessageFacts, decisions: readonly NotifierDecision[]): string[] {
  const { message_ref, announced_by, found, problem } = message;
  const lines = ['', `Message ${show(message_ref)}`];
  if (found) {
    const state = [found.read ? 'read' : 'unread', found.archived && 'archived'].filter(Boolean).join(', ');
    lines.push(`  in ${show(found.box)}, ${state}: ${show(found.subject)}`);
    if (found.archived || found.box !== 'inbox')
      lines.push('  It is not open in the inbox, so it does not wake the agent now.');
  } else lines.push(`  ${show(problem)}`);
  if (announced_by) lines.push(`  announced by request ${announced_by}`);
  if (decisions.some((decision) => partIn(decision, message) === 'counted')) {
    lines.push(
      '  A decision about many open messages names only the oldest and the newest. This one is in between. Where it is not',
      '  named, it was counted with the others, if it had arrived and was open then.',
    );
  }
  return lines;
}
