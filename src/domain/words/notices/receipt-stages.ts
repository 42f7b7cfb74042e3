import type { CodeOf } from '../table.ts';

/** How far a message is with one recipient, in order. Each is stored by the one who did it, and never inferred. */
export const RECEIPT_STAGES = {
  stored: { words: 'stored', help: 'it is in the mailbox' },
  announced: { words: 'announced', help: 'a wake that counts it was typed, and the tool took it' },
  read: { words: 'read', help: 'the reader marked it read' },
  answered: { words: 'answered', help: 'the reader replied' },
  archived: { words: 'archived', help: 'the reader put it away' },
} as const satisfies Record<string, { words: string; help: string }>;

export type ReceiptStage = CodeOf<typeof RECEIPT_STAGES>;

/** One may wait for these. */
export const AWAITED_RECEIPTS = ['announced', 'read', 'answered'] as const satisfies readonly ReceiptStage[];

export type AwaitedReceipt = (typeof AWAITED_RECEIPTS)[number];
