/**
 * How many consecutive blank lines are kept. More would push everything else out of a composer, and no one means them.
 */
const MAX_BLANK_LINES = 20;

const VISIBLE = String.raw`[\p{L}\p{M}\p{N}\p{P}\p{S}]`;
const SELECTOR = String.raw`[\ufe00-\ufe0f\u180b-\u180d\u{e0100}-\u{e01ef}]`;

/** Applied in this order, each to the result of the one before. */
const CHANGES: [name: string, find: RegExp, put: string][] = [
  ['line_ends_unified', /[\u2028\u2029]/g, '\n'],
  // Characters that are invisible, that terminals draw differently, or that change the direction of what follows.
  // Joiners inside a word or an emoji belong to it.
  [
    'invisible_characters_removed',
    new RegExp(
      String.raw`(?<!${VISIBLE})[\u200c\u200d]|[\u200c\u200d](?!${VISIBLE})|(?![\u200c\u200d]|${SELECTOR})(?:\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}|\p{Cn}|[\ufff9-\ufffb])`,
      'gu',
    ),
    '',
  ],
  // A mark without a letter before it would attach to what the tool draws in front of the line.
  ['leading_marks_removed', /^[\p{M}\u200c\u200d]+/gmu, ''],
  // Tools show a prompt after a glyph; leading blanks hide where it begins. Before a sign that may be a command they
  // change its meaning, and stay. Marks go with the blanks that carry them.
  ['leading_blanks_removed', /^\s[\s\p{M}\u200c\u200d]*(?=[^\s!/#@$&?\p{M}\u200c\u200d])/u, ''],
  ['blank_lines_removed', /(?:\n[^\S\n]*){2,}$/g, ''],
  [
    'blank_lines_removed',
    new RegExp(String.raw`\n(?:[^\S\n]*\n){${MAX_BLANK_LINES},}`, 'g'),
    '\n'.repeat(MAX_BLANK_LINES + 1),
  ],
];

/** The text without the parts that are invisible in a composer, and the names of the changes. */
export function visibleText(original: string): { text: string; changes: string[] } {
  const changes = new Set<string>();
  let text = original;
  for (const [name, find, put] of CHANGES) {
    const next = text.replace(find, put);
    if (next !== text) changes.add(name);
    text = next;
  }
  return { text, changes: [...changes] };
}
