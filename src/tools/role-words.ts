import type { Tool } from './tool.ts';

/** Inserts the text of the role into the words. One pass, so inserted text is never read as a placeholder. */
export function roleWords(words: readonly string[], text: string): string[] {
  // A JSON string is a TOML string, except for DEL.
  const toml = JSON.stringify(text).replaceAll('\u007f', '\\u007f');
  return words.map((word) => word.replace(/\{(text|toml)\}/g, (name) => (name === '{text}' ? text : toml)));
}

/** The role words of a headless turn; none if the role is put before the first prompt. */
export function headlessRole({ headless, role }: Tool): string[] {
  if (headless?.shape.role !== 'arguments') return [];
  return headless.role ?? (role.method === 'none' ? [] : role.words);
}
