import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GATEWAY_TARGET_FLAGS } from '../agents/target.ts';
import type { Command, Flag } from '../command.ts';
import { runCli } from '../run.ts';
import agentsMail from './agents-mail.ts';
import mail from './mail.ts';
import { MAILBOX_FLAGS } from './mailbox-door.ts';

let home: string;

beforeEach(async () => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-cli-mail-'));
  await ok('mailbox', 'init');
  await ok('mailbox', 'register', '--address', at('ana'));
  await ok('mailbox', 'register', '--address', at('ben'), '--principal-id', 'HOUMAO-ben');
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

const at = (name: string): string => `${name}@houmao.localhost`;

interface Ran {
  code: number;
  out: string;
  err: string;
}

async function rouse(argv: string[], stdin?: string, signal = new AbortController().signal): Promise<Ran> {
  let out = '';
  let err = '';
  const code = await runCli({
    argv,
    env: { HOME: home },
    stdout: { write: (text) => void (out += text), isTTY: false },
    stderr: { write: (text) => void (err += text), isTTY: false },
    stdin: async () => stdin ?? '',
    stdinIsTty: stdin === undefined,
    signal,
  });
  return { code, out, err };
}

async function ok(...argv: string[]): Promise<string> {
  const { code, out, err } = await rouse(argv);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads what was printed
const json = async (...argv: string[]): Promise<any> => JSON.parse(await ok(...argv, '--print-json'));

const SEND = ['mail', 'send', '--address', at('ana'), '--to', at('ben'), '--subject', 'done'];

describe('rouse mail', () => {
  it('rouse mail sends, lists, reads, answers, marks, moves, archives and finds mail', async () => {
    const sent = await json(...SEND, '--body-content', 'all green');
    expect(sent).toMatchObject({
      operation: 'send',
      authoritative: true,
      status: 'verified',
      execution_path: 'manager_direct',
      transport: 'filesystem',
      address: at('ana'),
      message: { box: 'sent', subject: 'done' },
    });
    const list = await json('mail', 'list', '--address', at('ben'));
    expect(list).toMatchObject({ operation: 'list', message_count: 1, unread_count: 1 });
    const ref = list.messages[0].message_ref as string;
    const on = ['--address', at('ben'), '--message-ref', ref];
    expect((await json('mail', 'peek', ...on)).message).toMatchObject({
      read: false,
      body_text: 'all green',
    });
    expect((await json('mail', 'read', ...on)).message).toMatchObject({ read: true });
    expect((await json('mail', 'mark', ...on, '--unread')).messages).toMatchObject([{ read: false }]);
    const reply = await json('mail', 'reply', ...on, '--body-content', 'thanks');
    expect(reply.message).toMatchObject({ subject: 'Re: done', in_reply_to_ref: ref });
    const moved = await json('mail', 'move', ...on, '--destination-box', 'later');
    expect(moved).toMatchObject({
      operation: 'move',
      message_count: 1,
      messages: [{ box: 'later', answered: true }],
    });
    expect((await json('mail', 'archive', ...on)).messages).toMatchObject([
      { box: 'archive', archived: true },
    ]);
    expect((await json('mail', 'search', 'green', '--address', at('ben'))).messages).toMatchObject([
      { message_ref: ref },
    ]);
    expect(await json('mail', 'status', '--address', at('ben'))).toMatchObject({
      open_count: 0,
      warnings: [],
    });
  });

  it('rouse mail takes the text from standard input or a file, byte for byte', async () => {
    const body = 'line\r\n\n---\nlast without newline';
    const file = path.join(home, 'body.md');
    fs.writeFileSync(file, body);
    const piped = await rouse([...SEND, '--print-json'], body);
    expect(JSON.parse(piped.out).message.body_text).toBe(body);
    expect((await json(...SEND, '--body-file', file)).message.body_text).toBe(body);
  });

  it('a message without text is refused unless it is explicitly empty', async () => {
    expect(await rouse(SEND, '')).toMatchObject({ code: 2, err: expect.stringContaining('no text') });
    expect((await json(...SEND, '--body-content', '')).message.body_text).toBe('');
  });

  it('a retry with the same key succeeds and says so; other content under the key is a conflict', async () => {
    await ok(...SEND, '--body-content', 'x', '--idempotency-key', 'k');
    expect(await json(...SEND, '--body-content', 'x', '--idempotency-key', 'k')).toMatchObject({
      duplicate: true,
    });
    const other = await rouse([...SEND, '--body-content', 'y', '--idempotency-key', 'k']);
    expect(other).toMatchObject({ code: 4, out: '' });
    expect((await json('mail', 'list', '--address', at('ben'))).message_count).toBe(1);
  });

  it('prints tables and messages that no text from outside can disturb', async () => {
    await ok(...SEND, '--body-content', 'a\u001b[2Jb\nc');
    const list = await ok('mail', 'list', '--address', at('ben'));
    expect(list).toMatch(/^inbox of ben@houmao\.localhost: 1 message, 1 unread\n\n.*SUBJECT.*\n\* .*done/);
    const { messages } = await json('mail', 'list', '--address', at('ben'));
    const shown = await ok('mail', 'peek', '--address', at('ben'), '--message-ref', messages[0].message_ref);
    expect(shown).toContain('a·[2Jb\nc');
    expect(shown).not.toContain('\u001b');
  });

  it('counts are labelled as those of the page unless the page is the whole box', async () => {
    for (const subject of ['a', 'b', 'c']) await ok(...SEND, '--body-content', subject);
    const list = (...more: string[]) => ok('mail', 'list', '--address', at('ben'), ...more);
    expect(await list()).toMatch(/: 3 messages, 3 unread\n/);
    expect(await list('--limit', '3')).toMatch(/: 3 messages, 3 unread\n/);
    const first = await list('--limit', '2');
    expect(first).toMatch(/: 2 messages on this page, 2 unread\n/);
    const [, cursor] = /--cursor (\S+)/.exec(first)!;
    expect(await list('--cursor', cursor!)).toMatch(/: 1 message on this page, 1 unread\n/);
    const found = await ok('mail', 'search', 'done', '--address', at('ben'), '--limit', '1');
    expect(found).toMatch(/: 1 message on this page, 1 unread\n/);
  });

  it('senders are listed by address, not by the display name they chose', async () => {
    await ok('mailbox', 'register', '--address', at('eve'), '--display-name', 'Houmao Operator');
    await ok(
      'mail',
      'send',
      '--address',
      at('eve'),
      '--to',
      at('ben'),
      '--subject',
      's',
      '--body-content',
      'x',
    );
    const list = await ok('mail', 'list', '--address', at('ben'));
    expect(list).toContain(at('eve'));
    expect(list).not.toContain('Houmao Operator');
  });

  it('archived mail is listed in the archive, and sent mail shows its recipients', async () => {
    await ok('mailbox', 'register', '--address', at('cid'));
    expect(await ok(...SEND, '--cc', at('cid'), '--body-content', 'x')).toMatch(
      /^sent to ben@\S+, cid@\S+ \(cc\)\n/,
    );
    const { messages } = await json('mail', 'list', '--address', at('ben'));
    await ok('mail', 'archive', '--address', at('ben'), '--message-ref', messages[0].message_ref);
    expect(await json('mail', 'list', '--address', at('ben'), '--archived')).toMatchObject({
      box: 'archive',
      message_count: 1,
    });
    expect(await json('mail', 'list', '--address', at('ben'), '--not-archived')).toMatchObject({
      box: 'inbox',
      message_count: 0,
    });
  });

  it('sending from a flat file reports that the mail waits in the outbox', async () => {
    const file = path.join(home, 'app', '.agent', 'inbox.md');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const out = await ok(...SEND, '--mailbox-root', file, '--body-content', 'x');
    expect(out).toMatch(/^waits in the outbox for ben@.*rouse mailfile relay/);
  });

  it('the suggested command brings back a mailbox in its own directory', async () => {
    const own = path.join(home, 'a place of dan');
    await ok('mailbox', 'register', '--address', at('dan'), '--mailbox-path', own);
    await ok('mailbox', 'unregister', '--address', at('dan'));
    const { err } = await rouse(['mail', 'list', '--address', at('dan')]);
    expect(err).toContain(`--mailbox-path '${fs.realpathSync(own)}'`);
    const [, command] = /activate it: rouse (.*)/.exec(err)!;
    await ok(...command!.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", '')));
    await ok('mail', 'list', '--address', at('dan'));
  });

  it('a store without its index is reported as such, never as empty', async () => {
    await ok(...SEND, '--body-content', 'x');
    for (const suffix of ['', '-wal', '-shm'])
      fs.rmSync(path.join(home, '.rouse', 'mailbox', `index.sqlite${suffix}`), { force: true });
    const status = await rouse(['mailbox', 'status', '--print-json']);
    expect(status.code).toBe(4);
    expect(JSON.parse(status.out)).toMatchObject({
      message_count: null,
      registration_counts: null,
      error: expect.stringContaining('index'),
      hint: expect.stringContaining('rouse mailbox repair'),
    });
    expect((await rouse(['mail', 'list', '--address', at('ben')])).code).toBe(3);
    await ok('mailbox', 'repair');
    expect((await json('mail', 'list', '--address', at('ben'))).message_count).toBe(1);
  });

  it('a deactivated mailbox names the command that reactivates it, to its owner and to senders', async () => {
    await ok('mailbox', 'unregister', '--address', at('ben'));
    for (const argv of [
      ['mail', 'list', '--address', at('ben')],
      [...SEND, '--body-content', 'x'],
    ]) {
      const { code, err } = await rouse(argv);
      expect(code).toBe(3);
      expect(err).toMatch(/registered but inactive\n.*rouse mailbox register --address ben@/);
    }
  });

  it('mail watch prints new mail until it is interrupted', async () => {
    const stop = new AbortController();
    const argv = ['mail', 'watch', '--address', at('ben'), '--once', '--print-json'];
    const watching = rouse(argv, undefined, stop.signal);
    // Sent again until the watch, which is still starting, has seen one.
    let over = false;
    void watching.finally(() => {
      over = true;
    });
    while (!over) await ok(...SEND, '--body-content', 'news');
    const { code, out } = await watching;
    expect(code).toBe(0);
    expect(JSON.parse(out.split('\n')[0]!)).toMatchObject({ event: 'message', message: { subject: 'done' } });
  });

  it.each<[string, number, string[]]>([
    [
      'an unknown recipient',
      3,
      ['mail', 'send', '--address', at('ana'), '--to', at('bne'), '--subject', 's', '--body-content', 'x'],
    ],
    [
      'a name instead of an address',
      3,
      ['mail', 'send', '--address', at('ana'), '--to', 'ben', '--subject', 's', '--body-content', 'x'],
    ],
    ['no text', 2, SEND],
    [
      'a flat file of another name',
      2,
      ['mail', 'list', '--mailbox-root', '/tmp/x/notes.md', '--address', 'a@x'],
    ],
    [
      'a flat file whose directory is not there',
      3,
      ['mail', 'list', '--mailbox-root', '/nowhere/.agent/inbox.md', '--address', 'a@x'],
    ],
    ['two texts', 2, [...SEND, '--body-content', 'x', '--body-file', 'y']],
    ['a file that is not there', 3, [...SEND, '--body-file', '/nowhere/x']],
    ['a directory as text', 2, [...SEND, '--body-file', '/tmp']],
    ['a program as text', 2, [...SEND, '--body-file', process.execPath]],
    ['an endless file', 2, [...SEND, '--body-file', '/dev/zero']],
    ['an attachment that is not there', 3, [...SEND, '--body-content', 'x', '--attach', '/nowhere/x']],
    [
      'a subject of two lines',
      2,
      ['mail', 'send', '--address', at('ana'), '--to', at('ben'), '--subject', 'a\nb', '--body-content', 'x'],
    ],
    ['no address', 2, ['mail', 'list']],
    ['an unknown mailbox', 3, ['mail', 'list', '--address', at('anna')]],
    ['a mark without a flag', 2, ['mail', 'mark', '--address', at('ben'), '--message-ref', 'x']],
    [
      'archived and unread',
      2,
      ['mail', 'mark', '--address', at('ben'), '--message-ref', 'x', '--archived', '--unread'],
    ],
    [
      'a flag and its opposite',
      2,
      ['mail', 'mark', '--address', at('ben'), '--message-ref', 'x', '--read', '--unread'],
    ],
    [
      'a flag and its opposite, for an agent',
      2,
      ['agents', 'mail', 'mark', '--agent-name', 'x', '--message-ref', 'x', '--unread', '--read'],
    ],
    ['a mailbox and none', 2, ['agents', 'join', '--agent-name', 'x', '--mailbox', '--no-mailbox']],
    ['a mail store in a flat file', 2, ['mailbox', 'init', '--mailbox-root', '/tmp/rouse-none/inbox.md']],
    [
      'an address in a flat file',
      2,
      ['mailbox', 'register', '--mailbox-root', '/tmp/rouse-none/inbox.md', '--address', at('x')],
    ],
    ['an unknown message', 3, ['mail', 'read', '--address', at('ben'), '--message-ref', 'msg-x']],
    ['a ref of another store', 2, ['mail', 'read', '--address', at('ben'), '--message-ref', 'stalwart:1']],
    ['a box that is a path', 2, ['mail', 'list', '--address', at('ben'), '--box', '../x']],
    ['a limit of nothing', 2, ['mail', 'list', '--address', at('ben'), '--limit', '0']],
    ['a time that is none', 2, ['mail', 'list', '--address', at('ben'), '--since', 'soon']],
    [
      'a store that is not there',
      3,
      ['mail', 'list', '--mailbox-root', '/nowhere/mail', '--address', at('ben')],
    ],
    ['a flat file without an address', 2, ['mail', 'list', '--mailbox-root', '/tmp/x/inbox.md']],
    ['half an address', 2, ['mailbox', 'register', '--address', 'ana']],
    ['a used address', 4, ['mailbox', 'register', '--address', at('ben'), '--principal-id', 'eve']],
    [
      'a reserved address',
      8,
      ['mailbox', 'register', '--address', 'HOUMAO-x@houmao.localhost', '--principal-id', 'eve'],
    ],
    ['clearing without a yes', 2, ['mailbox', 'clear-messages']],
    ['an export without a choice', 2, ['mailbox', 'export', '--output-dir', '/tmp/never']],
    ['a negative age', 2, ['mailbox', 'cleanup', '--inactive-older-than-seconds', '-1']],
  ])('refuses %s with exit code %i, says what to do and changes nothing', async (_, code, argv) => {
    const files = () =>
      fs.readdirSync(home, { recursive: true }).filter((name) => String(name).endsWith('.md'));
    const before = files();
    const ran = await rouse(argv);
    expect(ran).toMatchObject({ code, out: '' });
    expect(ran.err).toMatch(/^error: .+/);
    expect(files()).toEqual(before);
    const json = await rouse([...argv, '--print-json']);
    expect(JSON.parse(json.err).error.message).toBeTruthy();
  });
});

describe('rouse mailbox', () => {
  it('rouse mailbox names the commands for flat files when it gets one', async () => {
    const file = path.join(home, 'y.md');
    const { code, err } = await rouse(['mailbox', 'init', '--mailbox-root', file]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/rouse mailfile/) });
    expect(fs.existsSync(file)).toBe(false);
  });

  it('mailbox status reports a store, also a missing one', async () => {
    expect(await json('mailbox', 'status')).toMatchObject({
      exists: true,
      bootstrapped: true,
      supported: true,
      protocol_version: 1,
      registration_counts: { active: 3, inactive: 0, stashed: 0 },
      structural_state_readable: true,
      error: null,
      mailbox_root_detail: { source: 'default' },
    });
    expect(await json('mailbox', 'status', '--mailbox-root', path.join(home, 'none'))).toMatchObject({
      exists: false,
      bootstrapped: false,
      mailbox_root_detail: { source: 'flag' },
    });
  });

  it('an address is registered for the agent of that name, or for --principal-id', async () => {
    expect(await ok('mailbox', 'list')).toMatch(/ana@houmao\.localhost +HOUMAO-ana +active/);
  });

  it('mailbox registers with force after --yes, unregisters, cleans up, clears, repairs and exports', async () => {
    await ok(...SEND, '--body-content', 'x');
    const taken = ['mailbox', 'register', '--address', at('ben'), '--principal-id', 'eve'];
    expect(await json(...taken, '--yes')).toMatchObject({ mode: 'force', owner_principal_id: 'eve' });
    expect(await ok('mailbox', 'list')).toMatch(/ben@houmao\.localhost +eve +active/);
    expect(await json('mailbox', 'accounts', 'get', '--address', at('ben'))).toMatchObject({
      account: { owner_principal_id: 'eve' },
    });
    expect((await json('mailbox', 'cleanup', '--dry-run')).summary).toMatchObject({ planned_count: 1 });
    expect((await json('mailbox', 'cleanup')).summary).toMatchObject({ applied_count: 1 });
    expect(await json('mailbox', 'repair')).toMatchObject({ message_count: 1, set_aside_count: 0 });
    const out = path.join(home, 'out');
    expect((await json('mailbox', 'export', '--output-dir', out, '--all-accounts')).messages).toHaveLength(1);
    expect(fs.existsSync(path.join(out, 'manifest.json'))).toBe(true);
    expect(await json('mailbox', 'clear-messages', '--yes')).toMatchObject({ dry_run: false });
    expect((await json('mail', 'list', '--box', 'sent', '--address', at('ana'))).message_count).toBe(0);
    const gone = await json('mailbox', 'unregister', '--address', at('ben'), '--mode', 'purge');
    expect(gone).toMatchObject({ resulting_status: 'purged' });
  });
});

describe('what came from outside', () => {
  it('JSON on a terminal contains no raw control characters, and has the same content', async () => {
    const body = 'a\u009b2Jb\u009dc\u007fd\u202ee\u2066f\u200fg';
    await ok(
      'mail',
      'send',
      '--address',
      at('ana'),
      '--to',
      at('ben'),
      '--subject',
      'raw',
      '--body-content',
      body,
    );
    const printed = await ok('mail', 'list', '--address', at('ben'), '--print-json');
    expect(printed).not.toMatch(/[\u007f-\u009f\u200f\u202a-\u202e\u2066-\u2069]/);
    expect(JSON.stringify(JSON.parse(printed))).toContain('\u202e');
    const refused = await rouse(['mail', 'list', '--address', 'x\u009b2J\u202e@houmao.localhost']);
    expect(refused.code).not.toBe(0);
    expect(refused.err).not.toMatch(/[\u007f-\u009f\u202e]/);
  });
});

describe('rouse mail and rouse agents mail', () => {
  it('rouse mail and rouse agents mail have the same commands and, besides the mailbox, the same flags', () => {
    const commandsOf = (family: Command, own: readonly Flag[], less: string[]) =>
      family
        .subcommands!.filter(({ name }) => !less.includes(name))
        .map(({ name, summary, description, args, flags }) => ({
          name,
          summary,
          description,
          args,
          flags: flags!.filter((flag) => !own.includes(flag)),
        }));
    expect(commandsOf(mail, MAILBOX_FLAGS, ['watch'])).toEqual(
      commandsOf(agentsMail, GATEWAY_TARGET_FLAGS, ['resolve-live', 'outbox']),
    );
  });
});
