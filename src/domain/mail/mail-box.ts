import { invalid } from '../../base/index.ts';

/** The boxes of every mailbox. Any other name is a custom box, made when something is moved there. */
export const STANDARD_BOXES = ['inbox', 'sent', 'archive', 'drafts'] as const;
export const INBOX = 'inbox';
export const SENT = 'sent';
export const ARCHIVE = 'archive';

const MAX_BOX_NAME_BYTES = 200;

/** Returns the trimmed box name, or throws `invalid`. It becomes a folder: no path, no hidden name, one line. */
export function parseBoxName(text: string, field = 'box'): string {
  const name = text.trim();
  const problem =
    name === ''
      ? 'must not be blank'
      : /[/\\]/.test(name)
        ? 'must not contain / or \\'
        : name.startsWith('.')
          ? 'must not begin with a dot'
          : /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name) || /\p{Surrogate}/u.test(name)
            ? 'must be one line without control characters'
            : Buffer.byteLength(name) > MAX_BOX_NAME_BYTES
              ? `must be at most ${MAX_BOX_NAME_BYTES} bytes`
              : undefined;
  if (problem) {
    throw invalid(`${field} ${problem}`, {
      hint: `every mailbox has ${STANDARD_BOXES.join(', ')}; any other name is a box of your own`,
    });
  }
  return name;
}
