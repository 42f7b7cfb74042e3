import type { Flag, InputOf } from '../command.ts';
import { notBlank, wholeNumber } from '../input/flag-values.ts';

/** Flags of lists that come in pages. */
export const PAGE_FLAGS = [
  { name: 'limit', value: 'N', summary: 'maximum number to show; default 200', parse: wholeNumber(1, 1000) },
  {
    name: 'cursor',
    value: 'CURSOR',
    summary: 'next page: the cursor printed with the previous page',
    parse: notBlank,
  },
] as const satisfies readonly Flag[];

export function pageOf({ flags }: InputOf<typeof PAGE_FLAGS>): { limit?: number; cursor?: string } {
  return {
    ...(flags.limit !== undefined && { limit: flags.limit }),
    ...(flags.cursor !== undefined && { cursor: flags.cursor }),
  };
}

/** The line below a page that is not the last: how to see the next one. */
export function moreLine({ next_cursor }: { next_cursor: string | null }): string {
  return next_cursor === null ? '' : `\n\nThere are more: --cursor ${next_cursor}`;
}
