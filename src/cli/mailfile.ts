import { invalid, messageOf, notFound } from '../base/index.ts';
import type { FoundEntry, FsckReport, ShownMessage } from '../mailbox/index.ts';
import type { Command, Flag, Input, Output } from './command.ts';
import { notBlank, positiveSeconds, wholeNumber } from './flag-values.ts';
import { keyValues, show, table } from './table.ts';

/** Flat-file mailboxes: parse, call the room, print. Everything else is mailbox/flatfile. */

const MAILBOX: Flag = {
  name: 'mailbox',
  value: 'path',
  summary: 'the mailbox file, such as .agent/inbox.md',
  required: true,
  parse: notBlank,
};
const TIMEOUT: Flag = {
  name: 'timeout-seconds',
  value: 'seconds',
  summary: 'give up when the lock stays taken this long (exit code 7)',
  parse: positiveSeconds,
  default: 30,
};
const COMPAT: Flag = {
  name: 'compat-lock',
  summary:
    'also take /tmp/foundry-mailbox-<sha256 of the real path>.lock, for scripts that only know that one',
};
const MESSAGE_IDS: Flag = {
  name: 'msg-id',
  value: 'id',
  summary: 'the message: its msg-id, or the ~name that list shows for one without',
  many: true,
  parse: notBlank,
};

const room = () => import('../mailbox/index.ts');

async function open(input: Input) {
  const { FlatFile } = await room();
  return new FlatFile(String(input.flags['mailbox']));
}

function holding(input: Input) {
  return {
    timeoutMs: Number(input.flags['timeoutSeconds'] ?? 30) * 1000,
    compatLock: input.flags['compatLock'] === true,
    signal: input.signal,
  };
}

/** Says what is being waited for, once it takes a while. */
function waiting(input: Input): void {
  input.progress(`waiting for the lock of ${String(input.flags['mailbox'])}`);
}

async function messageText(input: Input): Promise<string | Uint8Array> {
  const file = input.flags['messageFile'];
  if (typeof file === 'string' && file !== '-') {
    const fs = await import('node:fs');
    try {
      return fs.readFileSync(file);
    } catch (error) {
      throw notFound(`cannot read the message file: ${messageOf(error)}`, { cause: error });
    }
  }
  if (input.stdinIsTty) {
    throw invalid('no message: give it on standard input or with --message-file', {
      hint: 'rouse mailfile prepend --mailbox .agent/inbox.md < message.md',
    });
  }
  return input.stdin();
}

async function prepend(input: Input): Promise<Output> {
  const { parseFlatMessage } = await room();
  const message = parseFlatMessage(await messageText(input));
  const box = await open(input);
  waiting(input);
  const data = await box.prepend(message, {
    ...holding(input),
    generateId: input.flags['generateId'] === true,
  });
  await box.idle();
  for (const warning of data.warnings) input.err(`warning: ${warning}\n`);
  return { data, plain: data.msg_id === null ? data.result : `${data.result} ${data.msg_id}` };
}

interface JsonMessage {
  ref: string;
  msg_id: string | null;
  from: string | null;
  to: string | null;
  re: string | null;
  created: string | null;
  status: string | null;
  priority: string | null;
  in_reply_to: string | null;
  fields: Record<string, string>;
}

function asJson({ ref, fields }: FoundEntry | ShownMessage): JsonMessage {
  const of = (key: string): string | null => fields.get(key) ?? null;
  return {
    ref,
    msg_id: of('msg-id'),
    from: of('from'),
    to: of('to'),
    re: of('re'),
    created: of('created'),
    status: of('status'),
    priority: of('priority'),
    in_reply_to: of('in-reply-to'),
    fields: Object.fromEntries(fields),
  };
}

async function list(input: Input): Promise<Output> {
  const { OPEN_STATUSES } = await room();
  const box = await open(input);
  const given = input.flags['status'] as string[] | undefined;
  const statuses = input.flags['open'] === true ? [...(given ?? []), ...OPEN_STATUSES] : given;
  const found = box.list({
    where: (fields) => statuses === undefined || statuses.includes(fields.get('status') ?? ''),
    limit: input.flags['limit'] as number | undefined,
    after: input.flags['after'] as string | undefined,
    includeBody: input.flags['includeBody'] === true,
  });
  if (!found.exists) throw noMailbox(box.paths.mailbox);
  if (found.damaged > 0) input.err(`warning: ${found.damaged} damaged envelopes; see rouse mailfile fsck\n`);
  const messages = found.entries.map((entry) => ({
    ...asJson(entry),
    body_preview: entry.preview,
    ...(entry.body === undefined ? {} : { body: entry.body }),
  }));
  const plain = table(messages, [
    { title: 'status', value: (row) => row.status },
    { title: 'created', value: (row) => row.created, max: 20 },
    { title: 'from', value: (row) => row.from, max: 28 },
    { title: 're', value: (row) => row.re, max: 48 },
    { title: 'msg-id', value: (row) => row.ref },
  ]);
  return { data: { messages }, plain: messages.length === 0 ? 'no messages' : plain };
}

const noMailbox = (file: string): Error =>
  notFound(`no mailbox ${file}`, { hint: 'the first "rouse mailfile prepend" makes it' });

async function showOne(input: Input): Promise<Output> {
  const box = await open(input);
  const found = box.show(oneId(input));
  const { body, fields, archived } = found;
  // On a terminal, what somebody else wrote must not move the cursor; a pipe gets it as it is.
  const text = input.outIsTty
    ? body
        .split('\n')
        .map((line) => (line === '' ? '' : show(line)))
        .join('\n')
    : body;
  return {
    data: { ...asJson(found), archived, body },
    plain: `${keyValues(Object.fromEntries(fields))}\n\n${text}`,
  };
}

function ids(input: Input): string[] {
  const given = (input.flags['msgId'] as string[] | undefined) ?? [];
  if (given.length === 0) throw invalid('--msg-id is missing: name at least one message');
  return given;
}

function oneId(input: Input): string {
  const given = ids(input);
  if (given.length > 1) throw invalid('--msg-id must name one message');
  return given[0]!;
}

async function setStatus(input: Input): Promise<Output> {
  const box = await open(input);
  const refs = ids(input);
  const { status, ifStatus, by, note } = input.flags as Record<string, string | undefined>;
  waiting(input);
  await box.setStatus(refs, { to: status!, from: ifStatus, by, note }, holding(input));
  return {
    data: { mailbox: box.paths.mailbox, msg_ids: refs, status },
    plain: `${status}: ${refs.join(', ')}`,
  };
}

const DAY_MS = 86_400_000;

async function archive(input: Input): Promise<Output> {
  const box = await open(input);
  const { msgId: refs, status: statuses, olderThanDays: days } = input.flags as Record<string, unknown>;
  const before = days === undefined ? undefined : new Date(Date.now() - Number(days) * DAY_MS);
  waiting(input);
  const moved = await box.archive(
    { refs: refs as string[] | undefined, statuses: statuses as string[] | undefined, before },
    holding(input),
  );
  const data = { mailbox: box.paths.mailbox, archive: box.paths.archive, archived: moved };
  return { data, plain: `${moved.length} archived in ${box.paths.archive}` };
}

async function fsck(input: Input): Promise<Output> {
  const box = await open(input);
  if (!box.list({ limit: 1 }).exists) throw noMailbox(box.paths.mailbox);
  waiting(input);
  const report = input.flags['repair'] === true ? await box.repair(holding(input)) : box.fsck();
  return { data: report, plain: fsckText(report), exitCode: report.issues.length > 0 ? 4 : 0 };
}

function fsckText({ issues, message_count, repaired, backup }: FsckReport): string {
  const head = `${message_count} messages, ${issues.length} troubles${repaired > 0 ? `, ${repaired} repaired` : ''}`;
  if (issues.length === 0) return backup === null ? head : `${head}; the file before it: ${backup}`;
  const rows = table(issues, [
    { title: 'line', value: (row) => row.line, right: true },
    { title: 'trouble', value: (row) => row.kind },
    { title: 'msg-id', value: (row) => row.msg_id },
    { title: 'detail', value: (row) => row.detail },
    { title: 'repairable', value: (row) => row.repairable },
  ]);
  return `${head}\n\n${rows}`;
}

async function relay(input: Input): Promise<Output> {
  const { relayFlatFiles, HUB_ADDRESSES } = await room();
  const { directory = [], route = [], hub, by, dryRun } = input.flags as Record<string, string[] | undefined>;
  const routes = route.map((text) => {
    const at = text.indexOf('=');
    if (at < 1 || at === text.length - 1)
      throw invalid(`--route must be ADDRESS=DIRECTORY, not ${show(text)}`);
    return { directory: text.slice(at + 1), addresses: [text.slice(0, at)] };
  });
  const hubs = hub === undefined ? [] : [{ directory: String(hub), addresses: HUB_ADDRESSES }];
  const all = [...directory.map((each) => ({ directory: each })), ...routes, ...hubs];
  if (all.length === 0)
    throw invalid('--directory is missing: relay carries mail only between directories it is given');
  waiting(input);
  const items = await relayFlatFiles(all, {
    ...holding(input),
    by: by === undefined ? undefined : String(by),
    dryRun: dryRun !== undefined,
  });
  const stuck = items.some(({ outcome }) => outcome === 'waiting');
  const plain = table(items, [
    { title: 'outcome', value: (row) => row.outcome },
    { title: 'from', value: (row) => row.from },
    { title: 'to', value: (row) => row.to, max: 40 },
    { title: 'msg-id', value: (row) => row.msg_id },
    { title: 'reason', value: (row) => row.reason },
  ]);
  return {
    data: { messages: items },
    plain: items.length === 0 ? 'nothing to relay' : plain,
    exitCode: stuck ? 7 : 0,
  };
}

async function lockPath(input: Input): Promise<Output> {
  const { compatLockPath, ensureLockDirectory } = await room();
  const { paths } = await open(input);
  // So that a script can open the lock right away.
  ensureLockDirectory(paths);
  const compat = compatLockPath(paths);
  const data = { mailbox: paths.mailbox, lock_path: paths.lock, compat_lock_path: compat };
  return { data, plain: input.flags['compatLock'] === true ? `${paths.lock}\n${compat}` : paths.lock };
}

/** Prints each message that comes, until Ctrl-C or --once. */
async function watch(input: Input): Promise<undefined> {
  const box = await open(input);
  const newest = (): FoundEntry[] => box.list({ limit: 200 }).entries;
  let wake = (): void => {};
  const stop = await box.watch(() => wake());
  const onAbort = (): void => wake();
  input.signal.addEventListener('abort', onAbort);
  try {
    let known = new Set(newest().map(({ ref }) => ref));
    for (let seen = false; !input.signal.aborted && !(seen && input.flags['once'] === true); ) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const now = newest();
      const fresh = now.filter(({ ref }) => !known.has(ref)).reverse();
      known = new Set(now.map(({ ref }) => ref));
      for (const entry of fresh) input.out(watchLine(entry, input.style));
      seen ||= fresh.length > 0;
      if (!(seen && input.flags['once'] === true)) await changed;
    }
  } finally {
    input.signal.removeEventListener('abort', onAbort);
    stop();
  }
  return undefined;
}

function watchLine(entry: FoundEntry, style: Input['style']): string {
  const message = { ...asJson(entry), body_preview: entry.preview };
  if (style === 'json') return `${JSON.stringify(message)}\n`;
  return `${[message.created, message.status, message.from, message.re, message.ref].map(show).join('  ')}\n`;
}

const mailfile: Command = {
  name: 'mailfile',
  summary: 'flat-file mailboxes: .agent/inbox.md and .agent/outbox.md',
  description:
    'Mailboxes that are one Markdown file, newest message on top. Every change is made under a kernel lock that shell ' +
    'scripts can share, in one durable step.',
  subcommands: [
    {
      name: 'prepend',
      summary: 'put one message on top of a mailbox, exactly once',
      description:
        'Takes a message (--- lines around from, to, re and other fields, then the body) from standard input or a ' +
        'file and puts it on top, below the file header. created and status are filled in when missing. The same ' +
        'msg-id with the same content again is "duplicate" and exit code 0; with other content it is a conflict, ' +
        'exit code 4. A lock that stays taken is exit code 7. In each case the file is as it was.',
      examples: [
        'rouse mailfile prepend --mailbox .agent/inbox.md < message.md',
        'rouse mailfile prepend --mailbox .agent/outbox.md --message-file message.md --generate-id',
      ],
      flags: [
        MAILBOX,
        {
          name: 'message-file',
          value: 'path',
          summary: 'read the message from this file (- for standard input)',
        },
        { name: 'generate-id', summary: 'give the message a msg-id when it has none' },
        COMPAT,
        TIMEOUT,
      ],
      run: prepend,
    },
    {
      name: 'list',
      summary: 'the messages of a mailbox, newest first',
      examples: [
        'rouse mailfile list --mailbox .agent/inbox.md --open',
        'rouse mailfile list --mailbox .agent/inbox.md --limit 20 --print-json',
      ],
      flags: [
        MAILBOX,
        { name: 'status', value: 'status', summary: 'only messages of this status', many: true },
        { name: 'open', summary: 'only messages that wait: pending, in-progress, operator-pending' },
        { name: 'limit', value: 'n', summary: 'at most this many', parse: wholeNumber(1) },
        { name: 'after', value: 'id', summary: 'only what stands below this message' },
        { name: 'include-body', summary: 'with whole bodies (JSON)' },
      ],
      run: list,
    },
    {
      name: 'show',
      summary: 'one message with its body, from the mailbox or its archive',
      examples: ['rouse mailfile show --mailbox .agent/inbox.md --msg-id ana-20260131-report'],
      flags: [MAILBOX, MESSAGE_IDS],
      run: showOne,
    },
    {
      name: 'set-status',
      summary: 'set the status of messages: all of them or none',
      examples: [
        'rouse mailfile set-status --mailbox .agent/inbox.md --msg-id ana-1 --status actioned --by ben',
      ],
      flags: [
        MAILBOX,
        MESSAGE_IDS,
        { name: 'status', value: 'status', summary: 'the new status', required: true },
        { name: 'if-status', value: 'status', summary: 'only if it has this status now (else exit code 4)' },
        { name: 'by', value: 'name', summary: 'written into actioned_by' },
        { name: 'note', value: 'text', summary: 'written into actioned_note' },
        COMPAT,
        TIMEOUT,
      ],
      run: setStatus,
    },
    {
      name: 'archive',
      summary: 'move messages to the archive file beside the mailbox',
      examples: [
        'rouse mailfile archive --mailbox .agent/inbox.md --msg-id ana-1',
        'rouse mailfile archive --mailbox .agent/inbox.md --status actioned --status stale --older-than-days 14',
      ],
      flags: [
        MAILBOX,
        MESSAGE_IDS,
        { name: 'status', value: 'status', summary: 'all messages of this status', many: true },
        {
          name: 'older-than-days',
          value: 'n',
          summary: 'all messages created before that',
          parse: wholeNumber(0),
        },
        COMPAT,
        TIMEOUT,
      ],
      run: archive,
    },
    {
      name: 'fsck',
      summary: 'look for damage; exit code 4 when there is any',
      description:
        'Finds envelopes that are never closed, fields that stand twice, second copies, used ids with other content, ' +
        'messages that are archived already, misplaced file headers, unknown statuses. --repair puts right what it can ' +
        'without losing a word, after keeping a copy beside the lock.',
      examples: ['rouse mailfile fsck --mailbox .agent/inbox.md --repair'],
      flags: [MAILBOX, { name: 'repair', summary: 'put right what can be put right' }, COMPAT, TIMEOUT],
      run: fsck,
    },
    {
      name: 'relay',
      summary: 'carry pending outbox messages into the inboxes of the given directories',
      description:
        'For each directory, takes the pending messages of .agent/outbox.md and puts each into the .agent/inbox.md of ' +
        'the directory it is addressed to (totebox@NAME, task@NAME or NAME, and what --hub and --route say), keeping ' +
        'its msg-id; then marks it dispatched. What has no directory is marked undeliverable with the reason, and its ' +
        'sender gets a notice. Nothing outside the given directories is read or written.',
      examples: [
        'rouse mailfile relay --hub ~/work --directory ~/work/clones/app --directory ~/work/clones/docs',
        'rouse mailfile relay --directory a --directory b --dry-run',
      ],
      flags: [
        { name: 'directory', value: 'dir', summary: 'a directory that holds .agent', many: true },
        { name: 'hub', value: 'dir', summary: 'the directory of command@claude-code' },
        { name: 'route', value: 'address=dir', summary: 'one more address and its directory', many: true },
        { name: 'by', value: 'name', summary: 'written into relayed-by' },
        { name: 'dry-run', summary: 'say what would happen and change nothing' },
        TIMEOUT,
      ],
      run: relay,
    },
    {
      name: 'lock-path',
      summary: 'print the lock of a mailbox, for scripts that use flock(1)',
      examples: ['flock -w 30 "$(rouse mailfile lock-path --mailbox .agent/inbox.md)" ./edit-inbox.sh'],
      flags: [MAILBOX, COMPAT],
      run: lockPath,
    },
    {
      name: 'watch',
      summary: 'print messages as they arrive, until Ctrl-C',
      examples: ['rouse mailfile watch --mailbox .agent/inbox.md --print-json'],
      flags: [MAILBOX, { name: 'once', summary: 'end after the first' }],
      run: watch,
    },
  ],
};

export default mailfile;
