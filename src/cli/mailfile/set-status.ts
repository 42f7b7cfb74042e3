import type { Command, Input, Output } from '../command.ts';
import { COMPAT, holding, ids, MAILBOX, MESSAGE_IDS, open, TIMEOUT, waiting } from './input.ts';

async function setStatus(input: Input): Promise<Output> {
  const box = await open(input);
  const refs = ids(input);
  const { status, ifStatus, by, note } = input.flags as Record<string, string | undefined>;
  waiting(input);
  await box.setStatus(refs, { to: status!, from: ifStatus, by, note }, holding(input));
  return {
    data: { mailbox: box.paths.mailbox, msg_ids: refs, status },
    plain: `${status}: ${refs.join(', ')}`,
  };
}

export const mailfileSetStatus: Command = {
  name: 'set-status',
  summary: 'set the status of messages: all of them or none',
  examples: ['rouse mailfile set-status --mailbox .agent/inbox.md --msg-id ana-1 --status actioned --by ben'],
  flags: [
    MAILBOX,
    MESSAGE_IDS,
    { name: 'status', value: 'status', summary: 'the new status', required: true },
    { name: 'if-status', value: 'status', summary: 'only if it has this status now (else exit code 4)' },
    { name: 'by', value: 'name', summary: 'written into actioned_by' },
    { name: 'note', value: 'text', summary: 'written into actioned_note' },
    COMPAT,
    TIMEOUT,
  ],
  run: setStatus,
};
