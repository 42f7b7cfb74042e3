import type { Tool } from './tool.ts';

/** The words with the text of the role in them. One pass, so that what is put in is never taken for a placeholder. */
export function roleWords(words: readonly string[], text: string): string[] {
  // JSON's quoted string is TOML's, but for DEL.
  const toml = JSON.stringify(text).replaceAll('\u007f', '\\u007f');
  return words.map((word) => word.replace(/\{(text|toml)\}/g, (name) => (name === '{text}' ? text : toml)));
}

/** The role's words of a headless turn; none where it stands before the first prompt. */
export function headlessRole({ headless, role }: Tool): string[] {
  if (headless?.shape.role !== 'arguments') return [];
  return headless.role ?? (role.method === 'none' ? [] : role.words);
}
