import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MarkdownNode, markdownOf } from './markdown.ts';

const types = (node: MarkdownNode | undefined): string =>
  node === undefined
    ? 'as written'
    : node.children.length === 0
      ? node.type
      : `${node.type}(${node.children.map(types).join(' ')})`;
const all = (node: MarkdownNode): MarkdownNode[] => [node, ...node.children.flatMap(all)];
const written = (node: MarkdownNode): string => node.text + node.children.map(written).join('');

describe('Markdown of mail', () => {
  it('code, lists, tables, emphasis and links become elements of our own', () => {
    expect(types(markdownOf('a **b** `c`\n\n- d\n- e\n\n| f | g |\n|---|---|\n| 1 | 2 |\n'))).toBe(
      'root(paragraph(text strong(text) text code) list(item(paragraph(text)) item(paragraph(text))) table(head(row(header(text) header(text))) rows(row(cell(text) cell(text)))))',
    );
    expect(types(markdownOf('```sh\nrm -rf build\n```'))).toBe('root(block)');
    expect(types(markdownOf('one\ntwo'))).toBe('root(paragraph(text break text))');
  });

  it('HTML is text, whatever it says', () => {
    for (const html of [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      'a <b>c</b> <!-- d -->',
    ]) {
      const root = markdownOf(html)!;
      expect(written(root)).toBe(html);
      expect(new Set(all(root).map(({ type }) => type))).toEqual(new Set(['root', 'paragraph', 'text']));
    }
  });

  it('a link that runs something stays as it was written', () => {
    for (const link of [
      '[a](javascript:alert(1))',
      '[a](vbscript:x)',
      '[a](data:text/html,x)',
      '<javascript:alert(1)>',
    ])
      expect(written(markdownOf(link)!)).toBe(link);
  });

  it('a picture is its description and its address', () => {
    const picture = all(markdownOf('![a cat](https://evil.example/cat.png)')!).find(
      ({ type }) => type === 'picture',
    );
    expect(picture).toMatchObject({ text: 'a cat', address: 'https://evil.example/cat.png' });
  });

  it('what is too long, too deep or too large is shown as it was written', () => {
    expect(markdownOf('x'.repeat(50_001))).toBeUndefined();
    expect(
      markdownOf('|a'.repeat(3000).concat('\n', '|-'.repeat(3000), '\n', '|b'.repeat(3000))),
    ).toBeUndefined();
    for (const deep of ['> '.repeat(10_000), '- '.repeat(10_000), '['.repeat(20_000), '*a '.repeat(10_000)])
      for (const node of all(markdownOf(`${deep}x`) ?? markdownOf('')!))
        expect(node.type).not.toBe('picture');
  });

  it('no text makes it fail, and every type is one of ours', () => {
    const odd = fc.string({
      unit: fc.constantFrom(...'*_`[]()<>|-#>!\\ \n\tab1.~:&;"\u202e\u0000\ud800'),
      maxLength: 400,
    });
    void fc.assert(
      fc.property(odd, (text) => {
        for (const { type } of all(markdownOf(text) ?? markdownOf('')!)) expect(type).toMatch(/^[a-z]+$/);
      }),
    );
  });
});
