import type { Journal } from '../control/journal.ts';
import { type Dialog, type DialogRequest, openDialog } from './dialog.ts';
import type { DialogLook } from './skin.ts';

interface Waiting {
  dialog: Dialog;
  resolve: (answer: string) => void;
}

/** The dialogs of one agent: one is open, the others wait behind it. Each is answered exactly once. */
export class DialogQueue {
  #waiting: Waiting[] = [];
  #count = 0;
  #journal: Journal;
  #life: string;

  constructor(journal: Journal, life: string) {
    this.#journal = journal;
    this.#life = life;
  }

  get open(): Dialog | undefined {
    return this.#waiting[0]?.dialog;
  }

  ask(
    request: DialogRequest,
    look: DialogLook,
    aborted: (id: string) => void,
    signal?: AbortSignal,
  ): Promise<string> {
    const dialog = openDialog(`d-${this.#life}-${++this.#count}`, request, look);
    return new Promise((resolve) => {
      this.#waiting.push({ dialog, resolve });
      if (this.#waiting.length === 1) this.#opened();
      signal?.addEventListener('abort', () => aborted(dialog.id), { once: true });
    });
  }

  /** Returns the closed dialog, or undefined when it no longer exists. */
  answer(answer: string, by: 'key' | 'control' | 'turn', id: string | undefined): Dialog | undefined {
    const at = this.#waiting.findIndex(({ dialog }) => dialog.id === id);
    if (at < 0) return undefined;
    const [{ dialog, resolve }] = this.#waiting.splice(at, 1) as [Waiting];
    const { keys, pastes } = dialog;
    this.#journal.record('dialog_answered', { dialog_id: dialog.id, answer, by, keys, pastes });
    if (at === 0) this.#opened();
    resolve(answer);
    return dialog;
  }

  #opened(): void {
    if (this.open) this.#journal.record('dialog_opened', { dialog_id: this.open.id, kind: this.open.kind });
  }
}
