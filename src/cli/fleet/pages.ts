import type { Flag, InputOf } from '../command.ts';
import { notBlank, wholeNumber } from '../input/flag-values.ts';

/** Of a list that the server may cut. */
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

/** Under a list that was cut: that it was, and how to go on. */
export function moreLine({ next_cursor }: { next_cursor: string | null }): string {
  return next_cursor === null ? '' : `\n\nThere are more: --cursor ${next_cursor}`;
}
