/** What was seen after keys that were sent while a dialog was open. It never shows which dialog received them. */
export const DIALOG_AFTERS = ['gone', 'other', 'same', 'unknown'] as const;

export type DialogAfter = (typeof DIALOG_AFTERS)[number];

export const DIALOG_AFTER: Record<DialogAfter, string> = {
  gone: 'the dialog is gone',
  other: 'another dialog is open now, or it changed; look at it before you press anything else',
  same: 'the dialog has not changed',
  unknown: 'the screen could not be read afterwards',
};
