import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FlatFile } from '../../src/mail/flatfile/index.ts';
import { proofReport } from '../support/proof-report.ts';
import { FULL, sampled } from '../support/sample.ts';
import { type Bench, idsIn, setUp } from './support.ts';

const root = path.resolve(import.meta.dirname, '../..');
const ROUSE = path.join(root, 'bin', 'rouse');
const AS_ROOT = process.getuid?.() === 0;
const PROCESSES = 16;
const MESSAGES = FULL ? 1_008 : 64;
/** One of this many of our messages is sent again, as by a script that is started twice. */
const AGAIN = 4;
/** Two unused accounts of this machine, in a group that is not the primary one of either. */
const [ANA, BEN] = ['news', 'uucp', 'games', 'lp', 'daemon', 'bin'].flatMap(uidOf) as [number, number];
const TEAM = 64_103;

function uidOf(name: string): number[] {
  const line = fs.readFileSync('/etc/passwd', 'utf8').match(new RegExp(`^${name}:[^:]*:(\\d+):`, 'm'));
  return line ? [Number(line[1])] : [];
}

const MESSAGE = `printf -- '---\\nfrom: %s@x\\nto: b@x\\nre: r\\nstatus: pending\\nmsg-id: %s-%s\\n---\\n\\nend of %s %s\\n\\n' "$name" "$name" "$n" "$name" "$n"`;
/** Three ways to send one message: the seed's recipe, our script, our command. */
const KINDS = {
  recipe: `(
    flock -x -w 30 9 || exit 7
    { ${MESSAGE}; cat "$mailbox"; } > "$mailbox.shell.$$"
    mv "$mailbox.shell.$$" "$mailbox"
  ) 9< "$lock"`,
  script: `${MESSAGE} | "${root}/bin/mailbox-prepend.sh" "$mailbox" >/dev/null`,
  command: `${MESSAGE} | "${ROUSE}" mailfile prepend --mailbox "$mailbox" >/dev/null`,
};
type Kind = keyof typeof KINDS;
/** A missing lock is created, an existing one opened: the kernel may refuse to create over another account's file. */
const loop = (kind: Kind): string => `umask 002
mailbox=$1 lock=$2 name=$3 count=$4
{ : >> "$lock"; } 2>/dev/null
for ((n = 1; n <= count; n++)); do
  for ((times = ${kind === 'recipe' ? 1 : `n % ${AGAIN} ? 1 : 2`}; times > 0; times--)); do
    ${KINDS[kind]} || { echo "$name-$n failed with $?" >&2; exit 1; }
  done
done`;

const made = new Set<string>();
let bench: Bench;
beforeAll(async () => {
  bench = await setUp();
});
beforeEach(() => bench.fresh());
afterEach(() => {
  for (const file of made) fs.rmSync(file, { recursive: true, force: true });
  made.clear();
});
afterAll(() => bench.end());

/** A directory that both accounts can write: `.agent` of their group, or any other. */
function makeMailbox(place: '.agent' | 'ad-hoc', accounts: number): string {
  const mailbox = place === '.agent' ? bench.inbox() : path.join(bench.directory, 'inbox.md');
  const directory = path.dirname(mailbox);
  for (let at = directory; at !== '/tmp'; at = path.dirname(at)) fs.chmodSync(at, 0o755);
  if (accounts > 1) {
    fs.chownSync(directory, ANA, TEAM);
    fs.chmodSync(directory, 0o2775);
    for (const uid of [ANA, BEN]) made.add(`/tmp/rouse-${uid}`);
  }
  fs.writeFileSync(mailbox, '');
  if (accounts > 1) fs.chownSync(mailbox, ANA, TEAM);
  fs.chmodSync(mailbox, 0o664);
  made.add(new FlatFile(mailbox).paths.seedLock);
  return mailbox;
}

const as = (uid: number | undefined) => (uid === undefined ? {} : { uid, gid: TEAM });
const ended = async (child: ChildProcess): Promise<number> => (await once(child, 'close'))[0] as number;

const PLACES = [
  ['.agent', 1],
  ['ad-hoc', 1],
  ['.agent', 2],
  ['ad-hoc', 2],
] as const;

describe.each(sampled(import.meta.filename, PLACES, 2))(
  'a mailbox %s, written by %i account(s)',
  (place, accounts) => {
    it.runIf(AS_ROOT || accounts === 1)(
      `a flat mailbox loses and doubles none of ${MESSAGES} messages of the recipe, our script and our command, ${PROCESSES} processes at once`,
      async () => {
        const mailbox = makeMailbox(place, accounts);
        const uids = accounts === 1 ? [undefined] : [ANA, BEN];
        const lock = execFileSync(ROUSE, ['mailfile', 'lock-path', '--mailbox', mailbox], {
          encoding: 'utf8',
          ...as(uids[0]),
        }).trim();
        const { paths } = new FlatFile(mailbox);
        expect(lock).toBe(place === '.agent' ? paths.lock : paths.seedLock);
        const kinds = Object.keys(KINDS) as Kind[];
        const count = MESSAGES / PROCESSES;
        const writers = Array.from({ length: PROCESSES }, (_, at) => {
          const kind = kinds[at % 3]!;
          const uid = uids[at % uids.length];
          const words = ['-c', loop(kind), 'writer', mailbox, lock, `w${at}`, String(count)];
          return spawn('bash', words, { stdio: ['ignore', 'inherit', 'inherit'], cwd: '/', ...as(uid) });
        });
        expect(await Promise.all(writers.map(ended))).toEqual(writers.map(() => 0));
        const ids = idsIn(mailbox);
        expect(ids).toHaveLength(MESSAGES);
        expect(new Set(ids).size).toBe(MESSAGES);
        const writersOf = accounts === 1 ? 'one account' : 'two accounts';
        proofReport(
          `flat file, ${place}, ${writersOf}, ${PROCESSES} processes: ${ids.length} of ${MESSAGES}, 0 lost, 0 doubled`,
        );
      },
      FULL ? 1_800_000 : 240_000,
    );
  },
);

describe('the lock of the recipe, outside .agent', () => {
  const input = '---\nfrom: a\nto: b\nre: c\nmsg-id: m\n---\n\nx\n';
  const send = (mailbox: string, uid?: number) =>
    spawnSync(ROUSE, ['mailfile', 'prepend', '--mailbox', mailbox, '--timeout-seconds', '0.3'], {
      input,
      encoding: 'utf8',
      cwd: '/',
      ...as(uid),
    });

  it("the recipe's lock outside .agent is taken without being asked for, is made for all accounts, and is never truncated", async () => {
    const mailbox = makeMailbox('ad-hoc', 1);
    const { seedLock } = new FlatFile(mailbox).paths;
    const before = process.umask(0o077);
    try {
      expect(send(mailbox).status).toBe(0);
    } finally {
      process.umask(before);
    }
    expect(fs.statSync(seedLock).mode & 0o777).toBe(0o666);
    fs.writeFileSync(seedLock, 'left by a script');
    const holder = spawn('flock', [seedLock, '-c', 'echo held; read line'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    fs.writeFileSync(mailbox, '');
    const late = send(mailbox);
    expect([late.status, late.stderr]).toEqual([7, expect.stringContaining(seedLock)]);
    holder.stdin.end('\n');
    await ended(holder);
    expect(send(mailbox)).toMatchObject({ status: 0, stdout: 'prepended m\n' });
    expect(fs.readFileSync(seedLock, 'utf8')).toBe('left by a script');
  });

  it.each([
    ['a link', (lock: string, precious: string) => fs.symlinkSync(precious, lock)],
    ['a FIFO', (lock: string) => void execFileSync('mkfifo', [lock])],
    ['a directory', (lock: string) => fs.mkdirSync(lock)],
  ])(
    "the recipe's lock outside .agent that was planted as %s is refused, and nothing is written",
    (_, plant) => {
      const mailbox = makeMailbox('ad-hoc', 1);
      const precious = path.join(bench.directory, 'precious');
      fs.writeFileSync(precious, 'precious');
      plant(new FlatFile(mailbox).paths.seedLock, precious);
      const refused = send(mailbox);
      expect(refused).toMatchObject({ status: 4, stderr: expect.stringContaining('not a regular file') });
      expect([fs.readFileSync(mailbox, 'utf8'), fs.readFileSync(precious, 'utf8')]).toEqual(['', 'precious']);
    },
  );

  it.runIf(AS_ROOT)(
    "the recipe's lock outside .agent of another account is taken when it can be read, and else named",
    () => {
      const mailbox = makeMailbox('ad-hoc', 2);
      const { seedLock } = new FlatFile(mailbox).paths;
      fs.writeFileSync(seedLock, '');
      fs.chownSync(seedLock, ANA, TEAM);
      fs.chmodSync(seedLock, 0o644);
      expect(send(mailbox, BEN)).toMatchObject({ status: 0, stderr: '' });
      fs.writeFileSync(mailbox, '');
      fs.chmodSync(seedLock, 0o600);
      fs.utimesSync(seedLock, 0, 0);
      // The command waits for a lock that is just being made; this one never gets further.
      let refused = send(mailbox, BEN);
      while (refused.status === 7) refused = send(mailbox, BEN);
      expect(refused).toMatchObject({ status: 8, stderr: expect.stringContaining(seedLock) });
      expect(fs.readFileSync(mailbox, 'utf8')).toBe('');
    },
  );
});

it('a message that was taken out (git checkout) and is sent again is written again', () => {
  const mailbox = makeMailbox('ad-hoc', 1);
  const send = () =>
    spawnSync(ROUSE, ['mailfile', 'prepend', '--mailbox', mailbox], {
      input: '---\nfrom: a\nto: b\nre: c\nmsg-id: m\n---\n\nx\n',
      encoding: 'utf8',
    }).stdout;
  expect([send(), send()]).toEqual(['prepended m\n', 'duplicate m\n']);
  fs.writeFileSync(mailbox, '');
  expect([send(), send()]).toEqual(['prepended m\n', 'duplicate m\n']);
  expect(idsIn(mailbox)).toEqual(['m']);
});
