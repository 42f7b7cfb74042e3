import { notReady } from '../base/index.ts';
import type { DialogAfter } from '../domain/index.ts';
// Imported directly because the index of wire/ loads the schemas.
import { refusal } from '../wire/codes.ts';
import type { PageDialog } from '../wire/index.ts';
import type { GatewayClient } from './gateway-client.ts';

export type DialogChoice = PageDialog['choices'][number];

/** Keys that dialogs name by a word; any other key is typed exactly as the dialog writes it. */
const NAMED_KEYS = ['Enter', 'Escape', 'Up', 'Down'];

export const sequenceOf = (key: string): string => (NAMED_KEYS.includes(key) ? `<[${key}]>` : key);

/**
 * Presses a key that the dialog itself offers, in the dialog that the person saw or not at all: the gateway compares the
 * hash again at the instant of typing.
 */
export async function pressChoice(
  gateway: GatewayClient,
  { name, hash, key }: { name: string; hash: string; key: string },
): Promise<{ choice: DialogChoice; after: DialogAfter }> {
  const { dialog } = await gateway.call('tui.screen', { wait_seconds: 0 });
  if (dialog?.hash !== hash)
    throw refusal('dialog_changed', 'the dialog you saw is no longer on the screen; nothing was pressed', {
      hint: 'look at the screen as it is now, and choose again',
    });
  const choice = dialog.choices.find((each) => each.key === key);
  if (!choice)
    throw notReady(`the dialog of ${name} has no choice "${key}"`, { hint: 'choose one that it shows' });
  const { dialog_after: after = 'unknown' } = await gateway.sendKeys({
    sequence: sequenceOf(key),
    expected_dialog: hash,
  });
  return { choice, after };
}
