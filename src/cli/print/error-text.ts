import { harmless } from './terminal-text.ts';

/** An error as people read it: what is wrong, and below it what to do. */
export function errorText(message: string, hint?: string | undefined): string {
  return [`error: ${lines(message)}`, ...(hint ? [lines(hint)] : []), ''].join('\n');
}

/** Our own sentences may have several lines; what they quote may not steer the terminal. */
function lines(text: string): string {
  return text.split('\n').map(harmless).join('\n');
}
