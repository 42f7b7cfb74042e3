import { invalid } from '../../base/index.ts';
import { command, flag, MESSAGES, many, text } from './command.ts';
import { printChanged } from './print.ts';

/** Commands that set flags and boxes: for all named messages or for none. */

export const mark = command({
  name: 'mark',
  summary: 'set or clear flags',
  examples: [
    'rouse mail mark --address ana@houmao.localhost --message-ref filesystem:msg-20260131T090000Z-0123456789abcdef0123456789abcdef --read',
  ],
  flags: [
    MESSAGES,
    { name: 'read', summary: 'read', negatable: true, opposite: 'unread' },
    { name: 'answered', summary: 'answered', negatable: true, opposite: 'unanswered' },
    { name: 'archived', summary: 'in the archive', negatable: true, opposite: 'unarchived' },
  ],
  async run(mailbox, input) {
    const flags = {
      read: flag(input, 'read'),
      answered: flag(input, 'answered'),
      archived: flag(input, 'archived'),
    };
    if (Object.values(flags).every((value) => value === undefined)) {
      throw invalid(
        'mark needs at least one of --read, --unread, --answered, --unanswered, --archived, --unarchived',
      );
    }
    const message_refs = many(input, 'messageRef');
    return printChanged(mailbox, 'mark', await mailbox.mark({ message_refs, ...flags }));
  },
});

export const move = command({
  name: 'move',
  summary: 'put messages into another box',
  examples: [
    'rouse mail move --address ana@houmao.localhost --message-ref filesystem:msg-20260131T090000Z-0123456789abcdef0123456789abcdef --destination-box later',
  ],
  flags: [MESSAGES, { name: 'destination-box', value: 'BOX', summary: 'where to; any name', required: true }],
  async run(mailbox, input) {
    const moved = await mailbox.move(many(input, 'messageRef'), text(input, 'destinationBox')!);
    return printChanged(mailbox, 'move', moved);
  },
});

export const archive = command({
  name: 'archive',
  summary: 'put away what is done; it is then read',
  examples: [
    'rouse mail archive --address ana@houmao.localhost --message-ref filesystem:msg-20260131T090000Z-0123456789abcdef0123456789abcdef',
  ],
  flags: [MESSAGES],
  async run(mailbox, input) {
    return printChanged(mailbox, 'archive', await mailbox.archive(many(input, 'messageRef')));
  },
});
