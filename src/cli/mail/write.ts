import { REPLY_POLICIES } from '../../domain/index.ts';
import { BODY, outgoing } from './body.ts';
import { command, MESSAGE, many, text } from './command.ts';
import { printSent } from './print.ts';

/** Commands that write mail. */

export const send = command({
  name: 'send',
  summary: 'send mail from this mailbox',
  examples: [
    'rouse mail send --address ana@houmao.localhost --to ben@houmao.localhost --subject done --body-content "all green"',
    'git diff | rouse mail send --address ana@houmao.localhost --to ben@houmao.localhost --subject review',
  ],
  flags: [
    { name: 'to', value: 'ADDRESS', summary: 'recipient; may be repeated', many: true, required: true },
    { name: 'cc', value: 'ADDRESS', summary: 'further recipient; may be repeated', many: true },
    { name: 'subject', value: 'TEXT', summary: 'one line', required: true },
    ...BODY,
  ],
  async run(mailbox, input) {
    const draft = { to: many(input, 'to'), cc: many(input, 'cc'), subject: text(input, 'subject')! };
    return printSent(mailbox, 'send', await mailbox.send({ ...draft, ...(await outgoing(input)) }));
  },
});

export const post = command({
  name: 'post',
  summary: 'leave a note of the operator in this mailbox',
  examples: [
    'rouse mail post --address ana@houmao.localhost --subject "before you go on" --body-content "the build is red"',
  ],
  flags: [
    { name: 'subject', value: 'TEXT', summary: 'one line', required: true },
    {
      name: 'reply-policy',
      value: 'POLICY',
      summary: 'whether the agent can answer',
      choices: REPLY_POLICIES,
      default: 'operator_mailbox',
    },
    ...BODY,
  ],
  async run(mailbox, input) {
    const reply_policy = input.flags['replyPolicy'] as (typeof REPLY_POLICIES)[number];
    const note = { subject: text(input, 'subject')!, reply_policy, ...(await outgoing(input)) };
    return printSent(mailbox, 'post', await mailbox.post(note));
  },
});

export const reply = command({
  name: 'reply',
  summary: 'answer a message; it is then read and answered',
  examples: [
    'rouse mail reply --address ana@houmao.localhost --message-ref filesystem:msg-20260131T090000Z-0123456789abcdef0123456789abcdef --body-content "done"',
  ],
  flags: [MESSAGE, ...BODY],
  async run(mailbox, input) {
    const message_ref = text(input, 'messageRef')!;
    return printSent(mailbox, 'reply', await mailbox.reply({ message_ref, ...(await outgoing(input)) }));
  },
});
