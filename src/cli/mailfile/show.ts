import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { keyValues, show } from '../print/table.ts';
import { MAILBOX, MESSAGE_IDS, oneId, open } from './input.ts';
import { asJson } from './message.ts';

async function showOne(input: InputOf<typeof SHOW_ONE_FLAGS>): Promise<Output> {
  const box = await open(input);
  const found = box.show(oneId(input));
  const { body, fields, archived } = found;
  // On a terminal, text from outside must not contain control characters; a pipe gets it unchanged.
  const text = input.outIsTty
    ? body
        .split('\n')
        .map((line) => (line === '' ? '' : show(line)))
        .join('\n')
    : body;
  return {
    data: { ...asJson(found), archived, body },
    plain: `${keyValues(Object.fromEntries(fields))}\n\n${text}`,
  };
}

const SHOW_ONE_FLAGS = [MAILBOX, MESSAGE_IDS] as const satisfies readonly Flag[];

export const mailfileShow = command({
  name: 'show',
  summary: 'one message with its body, from the mailbox or its archive',
  examples: ['rouse mailfile show --mailbox .agent/inbox.md --msg-id ana-20260131-report'],
  flags: SHOW_ONE_FLAGS,
  run: showOne,
});
