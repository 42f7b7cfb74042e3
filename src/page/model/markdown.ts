import MarkdownIt, { type Token } from 'markdown-it';

/** One element of our own, made from a token. `text` is shown as it is, never as markup. */
export interface MarkdownNode {
  type: MarkdownType;
  text: string;
  /** Where a link leads, or where a picture would come from. */
  address?: string;
  /** First number of a numbered list. */
  start?: number;
  children: MarkdownNode[];
}

/** The only elements there are. Everything else is shown as it was written. */
const TYPES = {
  paragraph: 'paragraph',
  heading: 'heading',
  bullet_list: 'list',
  ordered_list: 'numbers',
  list_item: 'item',
  blockquote: 'quote',
  table: 'table',
  thead: 'head',
  tbody: 'rows',
  tr: 'row',
  th: 'header',
  td: 'cell',
  strong: 'strong',
  em: 'emphasis',
  s: 'struck',
  link: 'link',
  hr: 'rule',
  fence: 'block',
  code_block: 'block',
  code_inline: 'code',
  image: 'picture',
  text: 'text',
  softbreak: 'break',
  hardbreak: 'break',
} as const;

export type MarkdownType = (typeof TYPES)[keyof typeof TYPES] | 'root';

/** A longer text, or one with more elements, is shown as it was written: parsing is bounded by size. */
const MAX_LENGTH = 50_000;
const MAX_ELEMENTS = 4000;
const MAX_DEPTH = 20;

/** No HTML, no automatic links, no typography. Line breaks stay, because mail has them. */
const parser = new MarkdownIt({
  html: false,
  linkify: false,
  typographer: false,
  breaks: true,
  maxNesting: MAX_DEPTH,
});
// Addresses are checked where they are shown, so that a refused one is shown and not hidden.
parser.disable(['entity', 'html_block', 'html_inline', 'reference']);

/** The elements of a text; undefined if it is too large, or nests too deeply. */
export function markdownOf(text: string): MarkdownNode | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const root: MarkdownNode = { type: 'root', text: '', children: [] };
  const budget = { left: MAX_ELEMENTS };
  try {
    return grow(root, parser.parse(text, {}), budget) ? root : undefined;
  } catch {
    return undefined;
  }
}

/** Adds the tokens to a tree. False: there are too many, or one that is not known. */
function grow(root: MarkdownNode, tokens: readonly Token[], budget: { left: number }): boolean {
  const open = [root];
  for (const token of tokens) {
    budget.left -= 1;
    if (budget.left < 0 || open.length > 2 * MAX_DEPTH) return false;
    const at = open.at(-1)!;
    if (token.nesting < 0) open.pop();
    else if (token.type === 'inline') {
      if (!grow(at, token.children ?? [], budget)) return false;
    } else {
      const node = nodeOf(token);
      if (!node) return false;
      at.children.push(node);
      if (token.nesting > 0) open.push(node);
    }
  }
  return open.length === 1;
}

function nodeOf(token: Token): MarkdownNode | undefined {
  const type = TYPES[token.type.replace(/_open$/, '') as keyof typeof TYPES] as MarkdownType | undefined;
  if (!type) return undefined;
  const address = token.attrGet('href') ?? token.attrGet('src');
  const start = Number(token.attrGet('start') ?? Number.NaN);
  return {
    type,
    text: token.content,
    children: [],
    ...(address != null && { address: String(address) }),
    ...(Number.isSafeInteger(start) && { start }),
  };
}
