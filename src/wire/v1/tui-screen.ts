import * as z from 'zod';
import { about, count, integer, name, stamp, strict } from '../fields.ts';

/** A run of characters that look the same. Colours: `0` to `255` of the palette, or `#rrggbb`; absent: the default. */
export const screenSpan = strict({
  text: z.string(),
  fg: z.string().optional(),
  bg: z.string().optional(),
  bold: z.literal(true).optional(),
  dim: z.literal(true).optional(),
  italic: z.literal(true).optional(),
  underline: z.literal(true).optional(),
  strike: z.literal(true).optional(),
  inverse: z.literal(true).optional(),
});

export const screenDialog = name(
  'TuiDialog',
  strict({
    hash: about('Hash of the dialog as shown; send it with the choice.', z.string()),
    kind: about('`permission`, `trust`, `question` …', z.string()),
    title: z.string(),
    lines: about('The text of the dialog.', z.array(z.string())),
    choices: about(
      'Keys that the dialog itself shows; empty when they cannot be recognised with certainty.',
      z.array(strict({ key: z.string(), label: z.string(), selected: z.boolean() })),
    ),
  }),
);

export const pageScreen = name(
  'TuiScreen',
  strict({
    columns: count,
    rows: count,
    lines: z.array(z.array(screenSpan)),
    cursor: strict({ column: count, row: count }).nullable(),
    captured_at_utc: stamp,
    hash: z.string(),
    dialog: screenDialog.nullable(),
    unchanged: about('It is still the screen of `after`; `lines` are left out.', z.boolean()),
  }),
);

export const pageScreenQuery = z.object({
  after: about(
    '`hash` of the screen known to the caller: the response waits until it changes.',
    z.string().max(100).optional(),
  ),
  wait_seconds: integer.min(0).max(25).default(0),
});

export type ScreenSpan = z.infer<typeof screenSpan>;
export type PageDialog = z.infer<typeof screenDialog>;
export type PageScreen = z.infer<typeof pageScreen>;

/** In a stream of screens: why there is none now. */
export interface PageTrouble {
  status: number;
  code: string;
  message: string;
  hint?: string | undefined;
}
