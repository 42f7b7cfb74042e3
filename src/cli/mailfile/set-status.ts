import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { COMPAT, holding, ids, MAILBOX, MESSAGE_IDS, open, TIMEOUT, waiting } from './input.ts';

async function setStatus(input: InputOf<typeof SET_STATUS_FLAGS>): Promise<Output> {
  const box = await open(input);
  const refs = ids(input);
  const { status, ifStatus, by, note } = input.flags;
  waiting(input);
  await box.setStatus(refs, { to: status, from: ifStatus, by, note }, holding(input));
  return {
    data: { mailbox: box.paths.mailbox, msg_ids: refs, status },
    plain: `${status}: ${refs.join(', ')}`,
  };
}

const SET_STATUS_FLAGS = [
  MAILBOX,
  MESSAGE_IDS,
  { name: 'status', value: 'status', summary: 'the new status', required: true },
  { name: 'if-status', value: 'status', summary: 'only if it has this status now (else exit code 4)' },
  { name: 'by', value: 'name', summary: 'written into actioned_by' },
  { name: 'note', value: 'text', summary: 'written into actioned_note' },
  COMPAT,
  TIMEOUT,
] as const satisfies readonly Flag[];

export const mailfileSetStatus = command({
  name: 'set-status',
  summary: 'set the status of messages: all of them or none',
  examples: ['rouse mailfile set-status --mailbox .agent/inbox.md --msg-id ana-1 --status actioned --by ben'],
  flags: SET_STATUS_FLAGS,
  run: setStatus,
});
