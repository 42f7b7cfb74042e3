import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../run.ts';

const OPERATOR = 'HOUMAO-operator@houmao.localhost';
const at = (name: string): string => `${name}@houmao.localhost`;

let home: string;

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-cli-inbox-'));
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

interface World {
  stdin?: string;
  tty?: boolean;
  env?: Record<string, string>;
}

async function rouse(argv: string[], { stdin = '', tty = false, env = {} }: World = {}) {
  let out = '';
  let err = '';
  const code = await runCli({
    argv,
    env: { HOME: home, PATH: process.env['PATH'], ...env },
    stdout: { write: (text) => void (out += text), isTTY: tty, size: () => ({ columns: 80, rows: 24 }) },
    stderr: { write: (text) => void (err += text), isTTY: false },
    stdin: async () => stdin,
    stdinIsTty: tty,
    signal: new AbortController().signal,
  });
  return { code, out, err };
}

async function ok(...argv: string[]): Promise<string> {
  const { code, out, err } = await rouse(argv);
  // On a loaded machine a step takes more than a second, and the command names it.
  expect({ code, err: err.replace(/^\w+…\n/, '') }).toEqual({ code: 0, err: '' });
  return out;
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads what was printed
const json = async (...argv: string[]): Promise<any> => JSON.parse(await ok(...argv, '--json'));

async function team(): Promise<void> {
  await ok('mailbox', 'init');
  for (const name of ['ana', 'ben']) await ok('mailbox', 'register', '--address', at(name));
}

async function toMe(from: string, subject: string, body = 'text'): Promise<string> {
  const sent = await json(
    ...['mail', 'send', '--address', at(from), '--to', OPERATOR, '--subject', subject, '--body', body],
  );
  return sent.message.message_ref;
}

const numbers = async (...words: string[]): Promise<[number, string][]> =>
  (await json(...words)).messages.map((each: { number: number; subject: string }) => [
    each.number,
    each.subject,
  ]);

describe('rouse inbox', () => {
  it('rouse inbox is empty without a mail store and without mail', async () => {
    expect(await ok('inbox')).toBe('No mail for you.\n');
    await team();
    expect(await ok('inbox')).toBe('No mail for you.\n');
  });

  it('a mail keeps its number for good, whatever else arrives or is archived', async () => {
    await team();
    await toMe('ana', 'first');
    await toMe('ben', 'second');
    expect(await numbers('inbox')).toEqual([
      [2, 'second'],
      [1, 'first'],
    ]);
    await ok('archive', '1');
    await toMe('ana', 'third');
    expect(await numbers('inbox')).toEqual([
      [3, 'third'],
      [2, 'second'],
    ]);
    expect(await numbers('inbox', '--archived')).toEqual([[1, 'first']]);
    await ok('archive', '--undo', '1');
    expect(await numbers('inbox')).toHaveLength(3);
    expect(await ok('read', '1')).toContain('first');
  });

  it('numbers survive a rebuilt index, and stay apart under eight readers at once', async () => {
    await team();
    for (const subject of ['a', 'b', 'c', 'd']) await toMe('ana', subject);
    const seen = await Promise.all(Array.from({ length: 8 }, () => numbers('inbox')));
    for (const each of seen) expect(each.map(([number]) => number)).toEqual([4, 3, 2, 1]);
    fs.rmSync(path.join(home, '.rouse', 'mailbox', 'index.sqlite'));
    await ok('mailbox', 'repair');
    expect((await numbers('inbox')).toSorted()).toEqual(seen[0]!.toSorted());
  });

  it('read marks my mail read, reply answers it, and the counts follow', async () => {
    await team();
    await toMe('ana', 'may I', 'delete it?');
    expect(await ok('inbox')).toContain('1 mail for you, 1 unread');
    expect(await ok('read', '1')).toContain('delete it?');
    expect(await ok('inbox')).toMatch(/^1 mail for you\n/);
    expect(await ok('inbox', '--unread')).toBe('No unread mail.\n');
    await ok('reply', '1', 'yes, do');
    const answer = (await json('mail', 'list', '--address', at('ana'), '--include-body')).messages[0];
    expect(answer).toMatchObject({ subject: 'Re: may I', body_text: 'yes, do' });
    expect(await ok('inbox')).toMatch(/ 1 {2}r /);
  });

  it('a message is named by its reference or the beginning of it, if that is one message', async () => {
    await team();
    const ref = await toMe('ana', 'first');
    await toMe('ana', 'second');
    expect(await ok('read', ref)).toContain('first');
    expect((await rouse(['read', ref.slice(0, 18)])).code).toBe(4);
    expect(await ok('read', ref.slice(ref.indexOf('msg-') + 4, -1))).toContain('first');
    for (const word of ['9', 'nothing-like-it', 'x', '0'])
      expect(await rouse(['read', word])).toMatchObject({ code: 3, out: '' });
    expect(await rouse(['archive', '1', '1'])).toMatchObject({ code: 2 });
  });

  it('what I sent is listed with how far each recipient is, and shown so when it is read again', async () => {
    await team();
    expect(await ok('inbox', '--sent')).toBe('You have sent no mail.\n');
    await ok('send', 'ana,ben', 'the plan');
    expect(await ok('inbox', '--sent')).toContain('ana: stored');
    const [mine] = (await json('inbox', '--sent')).messages;
    await ok('mail', 'read', '--address', at('ben'), '--message-ref', mine.message_ref);
    const stages = (await json('inbox', '--sent')).messages.flatMap(
      (each: { receipts: { stage: string }[] }) => each.receipts.map(({ stage }) => stage),
    );
    expect(stages).toEqual(expect.arrayContaining(['stored', 'read']));
    expect(await ok('read', `${mine.number}`)).toContain('Receipts: ');
    expect((await rouse(['inbox', '--sent', '--archived'])).code).toBe(2);
  });

  it('search finds mail of every agent; reading it there leaves it unread, and only its agent may act on it', async () => {
    await team();
    await toMe('ana', 'the parser is done');
    await ok(
      ...['mail', 'send', '--address', at('ana'), '--to', at('ben'), '--subject', 'parser', '--body', 'look'],
    );
    const found = (await json('search', 'parser')).messages;
    expect(found).toHaveLength(2);
    const bens = found.find((each: { mailbox: string }) => each.mailbox !== OPERATOR);
    expect(await ok('read', `${bens.number}`)).toContain('look');
    expect((await json('mail', 'list', '--address', bens.mailbox)).unread_count).toBe(bens.unread ? 1 : 0);
    expect(await rouse(['reply', `${bens.number}`, 'x'])).toMatchObject({ code: 6 });
    expect(await rouse(['archive', `${bens.number}`])).toMatchObject({ code: 6 });
    expect(await ok('search', 'nowhere')).toBe('No mail has nowhere.\n');
    expect((await json('search', 'parser', '--since', '1h')).messages).toHaveLength(2);
    expect((await json('search', 'parser', '--since', '2999-01-01')).messages).toEqual([]);
    expect(await rouse(['search', 'parser', '--since', 'soon'])).toMatchObject({ code: 2 });
  });
});

describe('rouse send and reply', () => {
  const last = async () => (await json('mail', 'list', '--address', at('ana'), '--include-body')).messages[0];

  it('one argument is the text, and its first line the subject', async () => {
    await team();
    await ok('send', 'ana', 'just do it');
    expect(await last()).toMatchObject({ subject: 'just do it', body_text: 'just do it' });
    await ok('send', 'ana', 'the plan\n\n1. this\n2. that');
    expect(await last()).toMatchObject({ subject: 'the plan', body_text: 'the plan\n\n1. this\n2. that' });
    await ok('send', 'ana', `long ${'x'.repeat(400)}`);
    expect((await last()).subject).toHaveLength(120);
    expect((await rouse(['send', 'ana', ' '])).code).toBe(2);
  });

  it('standard input and --body are the text under that subject', async () => {
    await team();
    await rouse(['send', 'ana', 'please review'], { stdin: 'the diff' });
    expect(await last()).toMatchObject({ subject: 'please review', body_text: 'the diff' });
    await ok('send', 'ana', 'red', '--body', 'look at main');
    expect(await last()).toMatchObject({ subject: 'red', body_text: 'look at main' });
    await ok('send', 'ana', 'old', '--body-content', 'the other spelling');
    expect(await last()).toMatchObject({ body_text: 'the other spelling' });
    expect((await rouse(['send', 'ana', 's', '--body', 'x', '--body-content', 'y'])).code).toBe(2);
  });

  it('the editor opens on a terminal when there is no text; what is below the line is left out', async () => {
    await team();
    await toMe('ana', 'may I', 'delete it?\n\tall \u001b[2Jof it');
    await ok('inbox');
    const editor = path.join(home, 'my editor');
    fs.writeFileSync(
      editor,
      `#!/bin/sh\ncp "$2" ${home}/shown; { echo "$1"; echo; cat "$2"; } > ${home}/x; mv ${home}/x "$2"\n`,
      {
        mode: 0o755,
      },
    );
    const world = { tty: true, env: { EDITOR: `'${editor}' "from the editor"` } };
    expect(await rouse(['reply', '1'], world)).toMatchObject({ code: 0 });
    expect(await last()).toMatchObject({ subject: 'Re: may I', body_text: 'from the editor\n' });
    expect(fs.readFileSync(path.join(home, 'shown'), 'utf8')).toContain('> delete it?\n> \tall ·[2Jof it\n');
    expect(await rouse(['send', 'ana'], world)).toMatchObject({ code: 0 });
    expect(await last()).toMatchObject({ subject: 'from the editor' });
    const drafts = path.join(home, '.rouse/drafts');
    expect(fs.readdirSync(drafts)).toEqual([]);
    // A text that was written and not sent is kept, whether the editor or the mail failed.
    for (const [args, surroundings] of [
      [['reply', '1'], { tty: true, env: { EDITOR: `f() { '${editor}' "kept text" "$1"; false; }; f` } }],
      [['send', 'no-such-agent'], { tty: true, env: { EDITOR: `'${editor}' "kept text"` } }],
    ] as const) {
      const { code, err } = await rouse([...args], surroundings);
      expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('your text is kept in')]);
      const [, kept] = /your text is kept in (\S+);/.exec(err)!;
      expect(fs.readFileSync(kept!, 'utf8')).toBe('kept text\n');
      expect(await rouse(['reply', '1', '--body-file', kept!])).toMatchObject({ code: 0 });
    }
    expect(await rouse(['send', 'ana'], { tty: true, env: { EDITOR: 'true' } })).toMatchObject({ code: 2 });
    expect(await rouse(['send', 'ana'], { tty: true, env: { EDITOR: 'false' } })).toMatchObject({ code: 2 });
    expect(await rouse(['send', 'ana'], { tty: true })).toMatchObject({ code: 2 });
  });
});
