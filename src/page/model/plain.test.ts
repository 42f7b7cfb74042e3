import { describe, expect, it } from 'vitest';
import { piecesOf, plain, runsOf } from './plain.ts';

const shown = (text: string): string =>
  runsOf(text)
    .map((run) => run.text)
    .join('');

describe('text that others wrote', () => {
  it('text without invisible characters is not changed', () => {
    expect(runsOf('Grüße, 世界 👩‍💻\n\tindented')).toEqual([
      { text: 'Grüße, 世界 👩‍💻\n\tindented', escaped: false },
    ]);
  });

  it('characters that hide, or change direction or position, are shown as code points', () => {
    expect(shown('a\u202eb')).toBe('a\\u202eb');
    expect(shown('\u001b[2J')).toBe('\\u001b[2J');
    expect(shown('x\u200by\ufeff')).toBe('x\\u200by\\ufeff');
    expect(shown('\u2066in\u2069')).toBe('\\u2066in\\u2069');
    expect(shown('lone \ud800 half')).toBe('lone \\ud800 half');
    expect(shown('tag \u{e0041}')).toBe('tag \\ue0041');
  });

  it('plain text keeps everything else, and normalises line ends', () => {
    expect(shown('a\r\nb')).toBe('a\nb');
    expect(shown('a\rb')).toBe('a\\u000db');
  });

  it('plain() returns one line', () => {
    expect(plain(' a\n b\u0007 ')).toBe(' a b\\u0007 ');
  });
});

describe('addresses in it', () => {
  const links = (text: string) =>
    piecesOf(text).flatMap(({ text: piece, href }) => (href ? [[piece, href]] : []));

  it('only http, https and mailto addresses become links', () => {
    expect(links('see https://example.org/a?b=1, or mailto:ana@example.org.')).toEqual([
      ['https://example.org/a?b=1', 'https://example.org/a?b=1'],
      ['mailto:ana@example.org', 'mailto:ana@example.org'],
    ]);
    expect(links('javascript:alert(1) data:text/html,x file:///etc/passwd vbscript:x //evil')).toEqual([]);
  });

  it('an address ends before characters that could hide something', () => {
    expect(links('https://good.example\u202e/evil')).toEqual([
      ['https://good.example', 'https://good.example/'],
    ]);
    expect(links('"https://a.example/">x')).toEqual([['https://a.example/', 'https://a.example/']]);
  });

  it('a link shows where it really leads', () => {
    expect(links('https://еxample.org')).toEqual([['https://еxample.org', 'https://xn--xample-2of.org/']]);
  });

  it('splitting into links keeps the whole text', () => {
    const text = 'a https://example.org/x. b\nhttp://c.example';
    expect(
      piecesOf(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  });
});
