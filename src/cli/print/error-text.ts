import { harmless } from './terminal-text.ts';

/** An error for people: what is wrong, and below it what to do. */
export function errorText(message: string, hint?: string | undefined): string {
  return [`error: ${lines(message)}`, ...(hint ? [lines(hint)] : []), ''].join('\n');
}

/** Our messages may have several lines, but what they quote must not contain control characters. */
function lines(text: string): string {
  return text.split('\n').map(harmless).join('\n');
}
