import * as z from 'zod';
import { RECEIPT_STAGES } from '../../domain/index.ts';
import { about, oneOf, strict } from '../fields.ts';

/** How far a message is with one recipient. */
const receipt = strict({
  address: z.string(),
  agent: about('Name of the agent behind the mailbox; null for people.', z.string().nullable()),
  stage: about('The furthest one.', oneOf(RECEIPT_STAGES)),
  announced: about('A wake that counts it was typed, and the tool took it.', z.boolean()),
  read: about("The reader's own mark.", z.boolean()),
  answered: z.boolean(),
  archived: z.boolean(),
});

export const mailReceipts = strict({
  receipts: about('Recipients whose mailbox is elsewhere are left out.', z.array(receipt)),
});

export type MailReceipt = z.infer<typeof receipt>;
