import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { ROOT } from '../../src/cli/index.ts';
import { buildParser } from '../../src/cli/parse.ts';

/**
 * Every command line that a hint, an error, an example or the page shows must exist, with its flags, and
 * with everything it requires. The lines are only parsed; nothing runs.
 */
const ROOTS = ['src'];
/** In place of a value that is filled in at run time. */
const FILLED = '\u0001';
/** The same, quoted. */
const QUOTED = '\u0002';
/** Its value when a line is parsed: a name, an id, a number. */
const STAND_IN = '1';
/** The function that quotes filled-in values (base/text.ts). */
const TAG = 'commandLine';

interface Text {
  text: string;
  where: string;
}

function sources(directory: string): string[] {
  return fs.readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) return sources(file);
    return /\.tsx?$/.test(entry.name) && !/(^|\.)(test|testing|contract)\.tsx?$/.test(entry.name)
      ? [file]
      : [];
  });
}

interface Node {
  type: string;
  start: number;
  [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);
const isSum = (node: Node): boolean => node.type === 'BinaryExpression' && node['operator'] === '+';
const isTagged = (node: Node): boolean =>
  node.type === 'TaggedTemplateExpression' && (node['tag'] as Node)['name'] === TAG;

/** A name in capitals is a constant of the program: it is not filled in at run time and needs no quotes. */
const isConstant = (node: Node): boolean =>
  node.type === 'Identifier' && /^[A-Z][A-Z0-9_]*$/.test(String(node['name']));

/** As the reader sees it: concatenated strings are one text. */
function written(node: Node): string {
  if (isConstant(node)) return STAND_IN;
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : FILLED;
  if (node.type === 'TemplateLiteral') {
    const filled = (node['expressions'] as Node[]).map(written);
    const parts = (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
    return parts.map((part, n) => part + (filled[n] ?? '')).join('');
  }
  if (isTagged(node)) return written(node['quasi'] as Node).replaceAll(FILLED, QUOTED);
  if (isSum(node)) return written(node['left'] as Node) + written(node['right'] as Node);
  return FILLED;
}

function textsOf(file: string): Text[] {
  const code = fs.readFileSync(file, 'utf8');
  if (!/\brouse [a-z]/.test(code)) return [];
  const found: Text[] = [];
  const visit = (node: Node, inText: boolean): void => {
    const isText = ['Literal', 'TemplateLiteral'].includes(node.type) || isSum(node) || isTagged(node);
    if (node.type === 'JSXText' || (isText && (!inText || isTagged(node)))) {
      const text = node.type === 'JSXText' ? String(node['value']).replaceAll(/\s+/g, ' ') : written(node);
      const where = `${file}:${code.slice(0, node.start).split('\n').length}`;
      found.push({ text, where });
    }
    const below = isText ? isTagged(node) || inText || isText : inText && node.type !== 'ObjectExpression';
    for (const child of childrenOf(node)) visit(child, below);
  };
  visit(parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file) as unknown as Node, false);
  return found.filter(({ text }) => /\brouse [a-z]/.test(text));
}

/** Until the closing quote, backtick or shell bracket; else to the end of the line or sentence. */
const COMMAND =
  /(?:"(?<quoted>rouse [a-z][^"]*)"|`(?<ticked>rouse [a-z][^`]*)`|[$<]\((?<run>rouse [a-z][^)]*)\)|(?<=^|\n|: |\(or: |, or |\$ |\| |\/rouse )\s*(?<plain>rouse [a-z][^\n;`]*))/g;

function commandsIn(text: string): string[] {
  return [...text.matchAll(COMMAND)].flatMap(({ groups }) => {
    const { quoted, ticked, run, plain } = groups!;
    const line = (quoted ?? ticked ?? run ?? plain!)
      .replace(/\s{2,}.*$/, '')
      .replace(/\s+[#<>|](\s.*)?$/, '')
      .replaceAll(/ --(print-)?(json|plain|fancy)\b/g, '')
      .replace(/\s*[(“].*$/, '')
      .replace(/^([^"]*?), .*$/, plain === undefined ? '$&' : '$1')
      .replace(/[.,:?)]+$/, '')
      .trim();
    return /…|\$\(/.test(line) ? [] : [line];
  });
}

function wordsOf(line: string): string[] {
  const words = line.replaceAll(/[\u0001\u0002]/g, STAND_IN).match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.slice(1).map((word) => word.replaceAll(/["']/g, ''));
}

/** Undefined: the line is valid. */
async function problemOf(line: string): Promise<string | undefined> {
  const words = wordsOf(line);
  let matched = false;
  try {
    const parser = await buildParser(ROOT, words, () => (matched = true));
    const quiet = { writeOut: () => {}, writeErr: () => {} };
    for (let at = parser as typeof parser | undefined, n = 0; at; n++) {
      at.configureOutput(quiet);
      const next: string | undefined = words[n];
      at = at.commands.find((child) => child.name() === next);
    }
    await parser.parseAsync([...words], { from: 'user' });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    // A family by its name, and a value that is known only at run time.
    if (code === 'commander.help' || code === 'commander.helpDisplayed') return undefined;
    if (message.includes(`'${STAND_IN}'`) || /"1"/.test(message) || /[A-Z]{3,}' is invalid/.test(message))
      return undefined;
    return message.split('\n')[0];
  }
  return matched ? undefined : 'nothing would run';
}

const texts = ROOTS.flatMap(sources).flatMap(textsOf);

describe('every command that is shown', () => {
  it('every command that is shown is one that the command line understands', async () => {
    const shown = new Map(texts.flatMap(({ text, where }) => commandsIn(text).map((line) => [line, where])));
    expect(shown.size).toBeGreaterThan(250);
    const wrong: string[] = [];
    for (const [line, where] of shown) {
      const problem = await problemOf(line);
      if (problem) wrong.push(`${where} ${line.replaceAll(FILLED, 'NAME')}: ${problem}`);
    }
    expect(wrong).toEqual([]);
  });

  it('every command that is shown quotes what is filled in', () => {
    const bare = texts.flatMap(({ text, where }) =>
      commandsIn(text)
        .filter((line) => line.includes(FILLED))
        .map((line) => `${where} ${line.replaceAll(FILLED, 'NAME')}`),
    );
    expect(bare).toEqual([]);
  });

  it('every command that is shown is written so that it is found: quoted, or at the end of a line', () => {
    const first = ROOT.subcommands!.map(({ name }) => name).join('|');
    const hidden = texts.flatMap(({ text, where }) => {
      const rest = text.replaceAll(COMMAND, '');
      return [...rest.matchAll(new RegExp(`.{0,30}\\brouse (${first})\\b.{0,40}`, 'g'))].map(
        ([found]) => `${where} ${found}`,
      );
    });
    expect(hidden).toEqual([]);
  });

  it('a shown command that is wrong is found', async () => {
    for (const bad of [
      'rouse agents gateway requests create ana --prompt TEXT',
      'rouse agents gateway mail-notifier enable ana',
      'rouse nonsense',
      'rouse why ana --nope',
      'rouse requests show',
    ])
      expect(await problemOf(bad), bad).toBeTypeOf('string');
    expect(commandsIn('see "rouse ls"; or run: rouse why ana, then look')).toEqual([
      'rouse ls',
      'rouse why ana',
    ]);
  });
});
