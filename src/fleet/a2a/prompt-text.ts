/** Maximum size of one message's text, in bytes of UTF-8. */
export const MAX_TEXT_BYTES = 64 * 1024;

export interface Envelope {
  /** The kind of sender: `agent`, `user`, `administrator`. */
  senderKind: string;
  senderName: string;
  taskId: string;
}

/**
 * Returns the prompt typed for the agent: one line of ours that names the sender, then the text as a quotation. Every
 * line of the sender begins with `> `, so none can pass for a line of ours or of the agent's own user.
 */
export function promptFor({ senderKind, senderName, taskId }: Envelope, text: string): string {
  const quoted = neutralise(text)
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
  return `[rouse] A2A message from ${senderKind} ${shown(senderName)}, task ${taskId}. The quoted lines are the sender's words.\n${quoted}`;
}

/** Returns the sender's words as they were quoted; what `neutralise` removed stays removed. */
export function quotedIn(prompt: string): string {
  return prompt
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^> ?/, ''))
    .join('\n');
}

/** Makes text plain: lines stay lines, and nothing in it moves a cursor, hides a character or changes its direction. */
export function neutralise(text: string): string {
  return Buffer.from(text)
    .toString()
    .replace(/\r\n?|[\u0085\u2028\u2029\u000b\u000c]/g, '\n')
    .replaceAll('\t', '    ')
    .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g, '')
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, '')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/gu, '')
    .replace(/\n+$/, '');
}

/** Makes a foreign name safe inside a line of ours. */
function shown(name: string): string {
  const line = neutralise(name)
    .replace(/[\n"]+/g, ' ')
    .trim();
  return `"${[...line].slice(0, 80).join('')}"`;
}
