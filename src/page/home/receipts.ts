import { serverNow } from '../model/clock.ts';
import { createStore } from '../model/store.ts';

/** What a person settled on this page, newest first. It stays until it is dismissed: the row it was about goes away. */
export interface Receipt {
  key: string;
  sentence: string;
  at_utc: string;
}

const MAX_RECEIPTS = 5;

export const receipts = createStore<readonly Receipt[]>([]);

export function keepReceipt(key: string, sentence: string): void {
  const rest = receipts.get().filter((each) => each.key !== key);
  const kept = { key, sentence, at_utc: new Date(serverNow()).toISOString() };
  receipts.set([kept, ...rest].slice(0, MAX_RECEIPTS));
}

export function dismissReceipt(key: string): void {
  receipts.set(receipts.get().filter((each) => each.key !== key));
}
