import type { DialogKind } from '../control/directives.ts';
import type { InputEvent } from './input-decoder.ts';
import type { DialogLook } from './skin.ts';

export interface DialogOption {
  answer: string;
  label: string;
  letter: string;
}

/** A question that holds the screen: no key reaches the composer until it is answered. */
export interface Dialog {
  id: string;
  kind: DialogKind;
  title: string;
  detail: string[];
  question: string;
  options: DialogOption[];
  selected: number;
  /** The answer of Escape. */
  cancel: string;
  keys: number;
  pastes: number;
}

export interface DialogRequest {
  kind: DialogKind;
  title?: string | undefined;
  detail?: string | undefined;
  options?: string[] | undefined;
}

export function openDialog(id: string, request: DialogRequest, look: DialogLook): Dialog {
  const base = { id, kind: request.kind, selected: 0, keys: 0, pastes: 0, cancel: 'cancel' };
  const detail = request.detail === undefined ? [] : request.detail.split('\n');
  const own = request.options?.map((label) => ({ answer: label, label, letter: '' }));
  if (request.kind === 'permission') {
    return {
      ...base,
      title: request.title ?? 'Shell command',
      detail: detail.length ? detail : ['touch permission.txt'],
      question: 'Do you want to proceed?',
      options: own ?? [
        { answer: 'yes', label: look.yes, letter: 'y' },
        { answer: 'always', label: look.always, letter: 'p' },
        { answer: 'no', label: look.no, letter: 'n' },
      ],
      cancel: 'no',
    };
  }
  if (request.kind === 'trust') {
    return {
      ...base,
      title: request.title ?? 'Accessing workspace',
      detail,
      question: 'Do you trust the files in this folder?',
      options: own ?? [
        { answer: 'exit', label: 'No, exit', letter: 'n' },
        { answer: 'trust', label: 'Yes, I trust this folder', letter: 'y' },
      ],
      cancel: 'exit',
    };
  }
  const labels =
    request.kind === 'menu' ? ['Model one', 'Model two', 'Model three'] : ['The first', 'The second'];
  return {
    ...base,
    title: request.title ?? (request.kind === 'menu' ? 'Select a model' : 'A question'),
    detail,
    question: request.kind === 'menu' ? '' : 'Which one do you prefer?',
    options: own ?? labels.map((label) => ({ answer: label, label, letter: '' })),
  };
}

/** Passes one input event to the dialog. Returns the answer if the event gave one. A paste is always ignored. */
export function pressInDialog(
  dialog: Dialog,
  event: InputEvent,
  alone: boolean,
  look: DialogLook,
): string | undefined {
  if (event.kind === 'paste') dialog.pastes++;
  else dialog.keys++;
  if (event.kind === 'text') return hotkeyAnswer(dialog, event.text, alone, look);
  if (event.kind !== 'key') return undefined;
  const count = dialog.options.length;
  if (event.key === 'enter') return dialog.options[dialog.selected]?.answer ?? dialog.cancel;
  if (event.key === 'escape' || event.key === 'ctrl-c') return dialog.cancel;
  if (event.key === 'up') dialog.selected = (dialog.selected + count - 1) % count;
  if (event.key === 'down' || event.key === 'tab') dialog.selected = (dialog.selected + 1) % count;
  return undefined;
}

function hotkeyAnswer(dialog: Dialog, text: string, alone: boolean, look: DialogLook): string | undefined {
  if (look.hotkeys === 'lone-digit' && !alone) return undefined;
  if (/^[1-9]$/.test(text)) return dialog.options[Number(text) - 1]?.answer;
  if (look.hotkeys !== 'digits-and-letters') return undefined;
  return dialog.options.find((option) => option.letter !== '' && option.letter === text)?.answer;
}
