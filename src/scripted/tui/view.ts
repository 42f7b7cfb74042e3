import type { Dialog } from './dialog.ts';
import type { Skin } from './skin.ts';

/** One finished part of the conversation. Ids increase, so that a painter knows what it has printed. */
export interface Block {
  id: number;
  kind: 'banner' | 'prompt' | 'answer' | 'notice' | 'shell';
  text: string;
}

/** Everything a painter needs, created for every frame. */
export interface View {
  skin: Skin;
  columns: number;
  rows: number;
  name: string;
  cwd: string;
  blocks: readonly Block[];
  /** Prompts accepted while busy and not started yet. */
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
  /** The answer so far, below the conversation. */
  stream: string[];
  lines: string[];
  /** A cell of `lines`. */
  cursor: { row: number; column: number };
}
