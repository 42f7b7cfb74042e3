import type { Dialog } from './dialog.ts';
import type { Skin } from './skin.ts';

/** One finished piece of the conversation. Ids rise, so that a painter knows what it has printed. */
export interface Block {
  id: number;
  kind: 'banner' | 'prompt' | 'answer' | 'notice' | 'shell';
  text: string;
}

/** All that a painter needs to know; made anew for every frame. */
export interface View {
  skin: Skin;
  columns: number;
  rows: number;
  name: string;
  cwd: string;
  blocks: readonly Block[];
  /** Prompts taken while busy, not yet begun. */
  pending: readonly string[];
  draft: { text: string; cursor: number };
  shellMode: boolean;
  busy: { elapsedMs: number; frame: number; answer: string } | undefined;
  dialog: Dialog | undefined;
  banner: string | undefined;
  hint: string | undefined;
  menu: readonly string[];
}

export interface Live {
  /** The answer as far as it has come; it follows the conversation. */
  stream: string[];
  lines: string[];
  /** A cell of `lines`. */
  cursor: { row: number; column: number };
}
