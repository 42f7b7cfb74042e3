import { memo, type ReactNode, useState } from 'react';
import { piecesOf, runsOf } from '../model/plain.ts';

/** Text from outside: text nodes only, invisible characters as code points, in its own direction. */
export const Plain = memo(function Plain({ text }: { text: string }) {
  return <bdi>{shown(text)}</bdi>;
});

function shown(text: string): ReactNode {
  const runs = runsOf(text);
  if (runs.length === 1 && !runs[0]?.escaped) return text;
  return runs.map((run, at) =>
    run.escaped ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a text never changes its order
      <span key={at} className="escaped">
        {run.text}
      </span>
    ) : (
      run.text
    ),
  );
}

/** More than this is shown only after a click. */
const AT_FIRST = 20_000;
const PER_BLOCK = 20_000;

/** A text with several lines. Only its links become links, each with its real target. */
export function Body({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const part = isWhole ? text : text.slice(0, AT_FIRST);
  return (
    <div className="whitespace-pre-wrap [tab-size:4]" dir="auto">
      {blocksOf(part).map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text never changes its order
        <span key={at} className={isWhole ? 'block [content-visibility:auto]' : undefined}>
          <Linked text={block} />
        </span>
      ))}
      {part.length < text.length && (
        <button type="button" className="btn mt-2" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  );
}

function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('\n', at + PER_BLOCK);
    const end = next < 0 ? Math.min(text.length, at + 4 * PER_BLOCK) : next + 1;
    blocks.push(text.slice(at, end));
    at = end;
  }
  return blocks;
}

/** Text on one line, in which addresses are links. */
export const Linked = memo(function Linked({ text }: { text: string }) {
  return piecesOf(text).map(({ text: piece, href }, at) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: a text never changes its order
    if (href === undefined) return <Plain key={at} text={piece} />;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a text never changes its order
      <Address key={at} href={href} text={piece}>
        <Plain text={piece} />
      </Address>
    );
  });
});

/** A link out of the page. Where it leads is shown unless its text says the same. */
export function Address({ href, text, children }: { href: string; text: string; children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noreferrer noopener" className="text-accent underline">
      {children}
      {bare(href) !== bare(text) && <span className="text-muted"> (leads to {href})</span>}
    </a>
  );
}

const bare = (address: string): string => address.replace(/\/$/, '').toLowerCase();
