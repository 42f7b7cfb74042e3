import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/index.ts';

let root: string;
let inbox: string;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-mailfile-'));
  fs.mkdirSync(path.join(root, '.agent'));
  inbox = path.join(root, '.agent', 'inbox.md');
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

interface Ran {
  code: number;
  out: string;
  err: string;
}

async function rouse(
  args: string[],
  input = '',
  signal = new AbortController().signal,
  onOut?: (text: string) => void,
): Promise<Ran> {
  const ran: Ran = { code: -1, out: '', err: '' };
  ran.code = await runCli({
    argv: ['mailfile', ...args],
    env: {},
    stdout: {
      isTTY: false,
      write: (text) => {
        ran.out += text;
        onOut?.(text);
      },
    },
    stderr: {
      isTTY: false,
      write: (text) => {
        ran.err += text;
      },
    },
    stdin: async () => input,
    stdinIsTty: false,
    signal,
  });
  return ran;
}

const text = (id: string, body = 'body'): string =>
  `---\nfrom: a@x\nto: b@x\nre: subject\nmsg-id: ${id}\n---\n\n${body}\n`;
const put = (id: string, body?: string): Promise<Ran> =>
  rouse(['prepend', '--mailbox', inbox], text(id, body));
const json = async (...args: string[]): Promise<Record<string, unknown>> => {
  const ran = await rouse([...args, '--mailbox', inbox, '--print-json']);
  expect(ran.err).toBe('');
  return JSON.parse(ran.out) as Record<string, unknown>;
};

/** Root may read everything, so it steps down for a while. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    if (root) process.seteuid?.(0);
  }
}

describe('rouse mailfile', () => {
  it('prepend says prepended, duplicate or conflict, each with its own exit code', async () => {
    expect(await put('m')).toEqual({ code: 0, out: 'prepended m\n', err: '' });
    expect(await put('m')).toEqual({ code: 0, out: 'duplicate m\n', err: '' });
    const other = await put('m', 'other');
    expect(other).toMatchObject({ code: 4, out: '' });
    expect(other.err).toContain('msg-id m is known');
  });

  it('prepend makes an id only when asked, and fills in created and status', async () => {
    const plain = text('x').replace('msg-id: x\n', '');
    const without = await rouse(['prepend', '--mailbox', inbox, '--print-json'], plain);
    expect(JSON.parse(without.out)).toMatchObject({ result: 'prepended', msg_id: null });
    const withId = await rouse(['prepend', '--mailbox', inbox, '--generate-id', '--print-json'], plain);
    const { msg_id } = JSON.parse(withId.out) as { msg_id: string };
    const { messages } = (await json('list')) as { messages: Record<string, unknown>[] };
    expect(messages).toHaveLength(2);
    expect(messages[0]).toMatchObject({
      msg_id,
      status: 'pending',
      created: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(messages[1]).toMatchObject({ msg_id: null });
  });

  it('list prints {"messages": […]}, newest first, by status, in pages', async () => {
    for (const id of ['a', 'b', 'c']) await put(id);
    await rouse(['set-status', '--mailbox', inbox, '--msg-id', 'b', '--status', 'actioned']);
    const all = await json('list');
    expect(Object.keys(all)).toEqual(['messages']);
    const ids = (data: Record<string, unknown>): unknown[] =>
      (data['messages'] as { msg_id: string }[]).map(({ msg_id }) => msg_id);
    expect(ids(all)).toEqual(['c', 'b', 'a']);
    expect(ids(await json('list', '--open'))).toEqual(['c', 'a']);
    expect(ids(await json('list', '--status', 'actioned'))).toEqual(['b']);
    expect(ids(await json('list', '--limit', '1', '--after', 'c'))).toEqual(['b']);
    expect((await json('list', '--include-body'))['messages']).toMatchObject([{ body: 'body' }, {}, {}]);
    expect((await rouse(['list', '--mailbox', inbox])).out).toMatch(/^STATUS +CREATED/);
  });

  it('list below a message that is gone, or of an unknown status, is an error and not an empty page', async () => {
    for (const id of ['a', 'b', 'c']) await put(id);
    await rouse(['archive', '--mailbox', inbox, '--msg-id', 'b']);
    const gone = await rouse(['list', '--mailbox', inbox, '--after', 'b']);
    expect(gone).toMatchObject({ code: 3, out: '', err: expect.stringContaining('no message b') });
    expect(await rouse(['list', '--mailbox', inbox, '--after', 'a'])).toMatchObject({ code: 0 });
    for (const command of ['list', 'archive']) {
      const ran = await rouse([command, '--mailbox', inbox, '--status', 'pendign']);
      expect(ran).toMatchObject({ code: 2, out: '', err: expect.stringContaining('did you mean pending') });
    }
  });

  it('a message file we may not read is forbidden', async () => {
    const file = path.join(root, 'message.md');
    fs.writeFileSync(file, text('m'), { mode: 0 });
    const ran = await asNobody(() => rouse(['prepend', '--mailbox', inbox, '--message-file', file]));
    expect(ran).toMatchObject({ code: 8, err: expect.stringContaining('--message-file') });
    expect(fs.existsSync(inbox)).toBe(false);
  });

  it('rouse mailfile show gives one message with its body, wherever it is by now', async () => {
    await put('m', 'one\n\n---\n\ntwo');
    await rouse(['archive', '--mailbox', inbox, '--msg-id', 'm']);
    expect(await json('show', '--msg-id', 'm')).toMatchObject({
      archived: true,
      body: 'one\n\n---\n\ntwo',
      fields: { re: 'subject' },
    });
    expect((await rouse(['show', '--mailbox', inbox, '--msg-id', 'm'])).out).toContain(
      '\n\none\n\n---\n\ntwo\n',
    );
    expect((await rouse(['show', '--mailbox', inbox, '--msg-id', 'x'])).code).toBe(3);
  });

  it('archive moves by id, status and age', async () => {
    for (const id of ['a', 'b']) await put(id);
    await rouse(['set-status', '--mailbox', inbox, '--msg-id', 'a', '--status', 'stale']);
    expect(await json('archive', '--status', 'stale', '--older-than-days', '0')).toMatchObject({
      archived: ['a'],
    });
    expect((await rouse(['archive', '--mailbox', inbox])).code).toBe(2);
  });

  it('fsck ends with 4 while there is trouble and 0 after the repair', async () => {
    fs.writeFileSync(inbox, `${text('a')}\n${text('a')}`);
    expect((await rouse(['fsck', '--mailbox', inbox])).code).toBe(4);
    const repaired = await rouse(['fsck', '--mailbox', inbox, '--repair', '--print-json']);
    expect(repaired.code).toBe(0);
    expect(JSON.parse(repaired.out).issues).toMatchObject([{ kind: 'missing_date', warning: true }]);
  });

  it('list --open shows what people wrote without a status, or in capitals', async () => {
    const block = (status: string): string => `---\nfrom: a\nto: b\nre: x\n${status}---\n\nx\n\n`;
    fs.writeFileSync(inbox, block('') + block('status: Pending\n') + block('status: Actioned\n'));
    expect((await json('list', '--open')).messages).toMatchObject([
      { status: 'pending', created: null },
      { status: 'pending' },
    ]);
    expect((await rouse(['fsck', '--mailbox', inbox])).code).toBe(4);
    expect((await rouse(['fsck', '--mailbox', inbox, '--repair'])).code).toBe(0);
    expect((await rouse(['fsck', '--mailbox', inbox])).code).toBe(0);
  });

  it('relay goes between the directories it is given', async () => {
    for (const name of ['ana', 'ben', 'hub'])
      fs.mkdirSync(path.join(root, name, '.agent'), { recursive: true });
    const outbox = path.join(root, 'ana', '.agent', 'outbox.md');
    const mail = (to: string, id: string): string => text(id).replace('b@x', to);
    for (const [to, id] of [
      ['totebox@ben', 'r1'],
      ['command@claude-code', 'r2'],
      ['special@x', 'r3'],
      ['nobody', 'r4'],
    ] as const) {
      await rouse(['prepend', '--mailbox', outbox], mail(to, id));
    }
    const [ana, ben, hub] = ['ana', 'ben', 'hub'].map((name) => path.join(root, name));
    const args = [
      'relay',
      '--directory',
      ana!,
      '--directory',
      ben!,
      '--hub',
      hub!,
      '--route',
      `special@x=${ben}`,
      '--print-json',
    ];
    const dry = await rouse([...args, '--dry-run']);
    expect(JSON.parse(dry.out).messages).toHaveLength(4);
    const { out, code } = await rouse(args);
    expect(code).toBe(0);
    const outcomes = (JSON.parse(out).messages as { msg_id: string; outcome: string }[]).map(
      ({ msg_id, outcome }) => [msg_id, outcome],
    );
    expect(outcomes).toEqual([
      ['r1', 'dispatched'],
      ['r2', 'dispatched'],
      ['r3', 'dispatched'],
      ['r4', 'undeliverable'],
    ]);
    const benHas = fs.readFileSync(path.join(ben!, '.agent', 'inbox.md'), 'utf8');
    expect(benHas).toMatch(/msg-id: r3[\s\S]*msg-id: r1/);
    expect(fs.readFileSync(path.join(hub!, '.agent', 'inbox.md'), 'utf8')).toContain('msg-id: r2');
  });

  it('watch prints messages as they arrive and ends on Ctrl-C', async () => {
    await put('old');
    const stop = new AbortController();
    const lines: { msg_id: string }[] = [];
    const seen = new Promise<void>((resolve) => {
      void rouse(['watch', '--mailbox', inbox, '--print-json'], '', stop.signal, (line) => {
        lines.push(JSON.parse(line) as { msg_id: string });
        if (lines.length === 2) resolve();
      }).then(({ code }) => expect(code).toBe(130));
    });
    const once = rouse(['watch', '--mailbox', inbox, '--once']);
    await new Promise((resolve) => setImmediate(resolve));
    // A watcher does not report what was sent before it started, so send until both have reported something.
    let sent = 0;
    const sender = (async () => {
      while (lines.length < 2) await put(`new-${++sent}`);
    })();
    await seen;
    stop.abort();
    await sender;
    expect((await once).out).toContain('new-');
    expect(lines.every(({ msg_id }) => msg_id.startsWith('new-'))).toBe(true);
  });

  it.each<[string, string[], string, number, RegExp]>([
    ['no mailbox', ['prepend'], text('m'), 2, /--mailbox/],
    ['a blank mailbox', ['prepend', '--mailbox', ' '], text('m'), 2, /must not be blank/],
    [
      'a mailbox in no directory',
      ['prepend', '--mailbox', '/nonexistent/.agent/inbox.md'],
      text('m'),
      3,
      /no directory/,
    ],
    ['a directory as mailbox', ['prepend', '--mailbox', '/tmp'], text('m'), 2, /not a regular file/],
    ['an empty message', ['prepend', '--mailbox', 'INBOX'], '', 2, /message is empty/],
    [
      'a message without re',
      ['prepend', '--mailbox', 'INBOX'],
      '---\nfrom: a\nto: b\n---\n',
      2,
      /re is missing/,
    ],
    [
      'a forged line',
      ['prepend', '--mailbox', 'INBOX'],
      '---\nfrom: a\nto: b\nre: "x\\nstatus: actioned"\n---\n',
      2,
      /re must be one line/,
    ],
    [
      'no message file',
      ['prepend', '--mailbox', 'INBOX', '--message-file', '/nonexistent'],
      '',
      3,
      /--message-file .* does not exist/,
    ],
    [
      'a wrong timeout',
      ['prepend', '--mailbox', 'INBOX', '--timeout-seconds', 'soon'],
      text('m'),
      2,
      /number of seconds/,
    ],
    ['an unknown flag', ['prepend', '--mailbox', 'INBOX', '--force'], text('m'), 2, /unknown option/],
    ['a list of nothing', ['list', '--mailbox', 'INBOX'], '', 3, /no mailbox/],
    ['a limit of zero', ['list', '--mailbox', 'INBOX', '--limit', '0'], '', 2, /whole number/],
    [
      'a status nobody knows',
      ['set-status', '--mailbox', 'INBOX', '--msg-id', 'm', '--status', 'pendign'],
      '',
      2,
      /did you mean pending/,
    ],
    [
      'no message named',
      ['set-status', '--mailbox', 'INBOX', '--status', 'stale'],
      '',
      2,
      /--msg-id is missing/,
    ],
    [
      'an unknown message',
      ['set-status', '--mailbox', 'INBOX', '--msg-id', 'm', '--status', 'stale'],
      '',
      3,
      /no message m/,
    ],
    ['nothing to archive', ['archive', '--mailbox', 'INBOX'], '', 2, /choose what to archive/],
    ['fsck of nothing', ['fsck', '--mailbox', 'INBOX'], '', 3, /no mailbox/],
    ['a relay to nowhere', ['relay'], '', 2, /--directory is missing/],
    ['a route without a directory', ['relay', '--route', 'a@x'], '', 2, /ADDRESS=DIRECTORY/],
    ['a typo', ['prepned', '--mailbox', 'INBOX'], '', 2, /did you mean "rouse mailfile prepend"/],
  ])(
    'rouse mailfile refuses %s with the right exit code and makes no mailbox',
    async (_, args, input, code, words) => {
      const ran = await rouse(
        args.map((word) => (word === 'INBOX' ? inbox : word)),
        input,
      );
      expect(ran.err).toMatch(words);
      expect(ran.code).toBe(code);
      expect(fs.existsSync(inbox)).toBe(false);
    },
  );
});
