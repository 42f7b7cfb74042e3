import { type ReactNode, useMemo } from 'react';
import { type MarkdownNode, type MarkdownType, markdownOf } from '../model/markdown.ts';
import { safeAddress } from '../model/plain.ts';
import { Address, Body, Linked, Plain } from './plain-text.tsx';

/** Markdown from outside, as elements of our own. No HTML and no pictures; each link shows where it leads. */
export function Markdown({ text }: { text: string }) {
  const root = useMemo(() => markdownOf(text), [text]);
  if (!root) return <Body text={text} />;
  return (
    <div className="space-y-2" dir="auto">
      <Children of={root} />
    </div>
  );
}

function Children({ of }: { of: MarkdownNode }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: a text never changes its order
  return of.children.map((child, at) => <Shown key={at} node={child} />);
}

function Shown({ node }: { node: MarkdownNode }): ReactNode {
  return SHOWN[node.type](node);
}

const SHOWN: Record<MarkdownType, (node: MarkdownNode) => ReactNode> = {
  root: (node) => <Children of={node} />,
  paragraph: (node) => (
    <p dir="auto">
      <Children of={node} />
    </p>
  ),
  heading: (node) => (
    <h3 className="pt-1 text-[0.9375rem] font-semibold" dir="auto">
      <Children of={node} />
    </h3>
  ),
  list: (node) => (
    <ul className="list-disc space-y-0.5 pl-6">
      <Children of={node} />
    </ul>
  ),
  numbers: (node) => (
    <ol className="list-decimal space-y-0.5 pl-8" start={node.start}>
      <Children of={node} />
    </ol>
  ),
  item: (node) => (
    <li dir="auto">
      <Children of={node} />
    </li>
  ),
  quote: (node) => (
    <blockquote className="space-y-2 border-l-2 border-line pl-3 text-muted">
      <Children of={node} />
    </blockquote>
  ),
  table: (node) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard, too
    <section className="wide-table" aria-label="Table" tabIndex={0}>
      <table>
        <Children of={node} />
      </table>
    </section>
  ),
  head: (node) => (
    <thead>
      <Children of={node} />
    </thead>
  ),
  rows: (node) => (
    <tbody>
      <Children of={node} />
    </tbody>
  ),
  row: (node) => (
    <tr>
      <Children of={node} />
    </tr>
  ),
  header: (node) =>
    isEmpty(node) ? (
      <td />
    ) : (
      <th scope="col" dir="auto">
        <Children of={node} />
      </th>
    ),
  cell: (node) => (
    <td dir="auto">
      <Children of={node} />
    </td>
  ),
  strong: (node) => (
    <strong>
      <Children of={node} />
    </strong>
  ),
  emphasis: (node) => (
    <em>
      <Children of={node} />
    </em>
  ),
  struck: (node) => (
    <s>
      <Children of={node} />
    </s>
  ),
  rule: () => <hr className="border-line" />,
  block: ({ text }) => (
    <pre
      className="rounded-md bg-sunken px-3 py-2 font-mono text-xs leading-5 whitespace-pre-wrap [tab-size:4]"
      dir="ltr"
    >
      <Plain text={text.replace(/\n$/, '')} />
    </pre>
  ),
  code: ({ text }) => (
    <code className="rounded bg-sunken px-1 font-mono text-[0.92em]">
      <Plain text={text} />
    </code>
  ),
  link: (node) => {
    const { address = '' } = node;
    const href = safeAddress(address);
    if (!href)
      return (
        <>
          <Children of={node} />
          <span className="text-muted">
            {' ('}
            <Plain text={address} />
            {', not a link)'}
          </span>
        </>
      );
    return (
      <Address href={href} text={textOf(node)}>
        <Children of={node} />
      </Address>
    );
  },
  picture: ({ text, address = '' }) => (
    <span className="text-muted">
      {'[picture, not loaded: '}
      <Plain text={text || 'no description'} />
      {', '}
      <Linked text={address} />]
    </span>
  ),
  text: ({ text }) => <Linked text={text} />,
  break: () => <br />,
};

const isEmpty = ({ children, text }: MarkdownNode): boolean => children.length === 0 && text === '';

const textOf = ({ text, children }: MarkdownNode): string => text + children.map(textOf).join('');
