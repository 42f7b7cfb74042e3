import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FlatFile } from '../../src/mail/flatfile/index.ts';
import { type Bench, FULL, idsIn, setUp } from './support.ts';

const root = path.resolve(import.meta.dirname, '../..');
const ROUSE = path.join(root, 'bin', 'rouse');

/** The recipe of people's scripts, with the lock that lock-path prints. */
const SCRIPT = `
set -e
mailbox=$1; lock=$2; name=$3; count=$4
for ((n = 1; n <= count; n++)); do
  (
    flock -w 30 9
    { printf -- '---\\nfrom: %s@x\\nto: b@x\\nre: from bash\\nstatus: pending\\nmsg-id: %s-%s\\n---\\n\\nline one of %s %s\\nend of %s %s\\n\\n' "$name" "$name" "$n" "$name" "$n" "$name" "$n"; cat "$mailbox"; } > "$mailbox.shell.$$"
    mv "$mailbox.shell.$$" "$mailbox"
  ) 9> "$lock"
done
`;

describe('beside shell scripts', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await setUp();
  });
  beforeEach(() => bench.fresh());
  afterAll(() => bench.end());

  const ended = async (child: ChildProcess): Promise<number> => (await once(child, 'close'))[0] as number;

  it('a bash script with flock on the printed lock and our writers lose nothing', async () => {
    const mailbox = bench.inbox();
    fs.writeFileSync(mailbox, '');
    const lock = execFileSync(ROUSE, ['mailfile', 'lock-path', '--mailbox', mailbox], {
      encoding: 'utf8',
    }).trim();
    const count = FULL ? 200 : 25;
    const scripts = ['s1', 's2'].map((name) =>
      spawn('bash', ['-c', SCRIPT, 'script', mailbox, lock, name, String(count)], { stdio: 'inherit' }),
    );
    const ours = ['r1', 'r2'].map((writer) =>
      bench.start({ what: 'write', mailbox, writer, count, again: 10 }),
    );
    const line = (n: number): string =>
      `---\nfrom: c@x\nto: b@x\nre: cli\nmsg-id: c-${n}\n---\n\nend of c ${n}\n`;
    const typed = (async () => {
      for (let n = 1; n <= 5; n++) {
        const child = spawn(ROUSE, ['mailfile', 'prepend', '--mailbox', mailbox], {
          stdio: ['pipe', 'ignore', 'inherit'],
        });
        child.stdin.end(line(n));
        expect(await ended(child)).toBe(0);
      }
    })();
    expect(await Promise.all(scripts.map(ended))).toEqual([0, 0]);
    for (const { done } of ours) expect(await done).toMatchObject({ code: 0, stderr: '' });
    await typed;
    const ids = idsIn(mailbox);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(4 * count + 5);
    expect(new FlatFile(mailbox).fsck().issues.filter(({ kind }) => kind !== 'missing_date')).toEqual([]);
  });

  it('a lock held by a script ends in exit code 7 with the file untouched', async () => {
    const mailbox = bench.inbox();
    fs.writeFileSync(mailbox, '# Inbox\n');
    const { paths } = new FlatFile(mailbox);
    fs.mkdirSync(paths.side);
    const holder = spawn('flock', [paths.lock, '-c', 'echo held; read line'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    const input = '---\nfrom: a\nto: b\nre: c\nmsg-id: m\n---\n\nx\n';
    const args = ['mailfile', 'prepend', '--mailbox', mailbox, '--timeout-seconds', '0.3', '--print-json'];
    const done = spawnSync(ROUSE, args, { input, encoding: 'utf8' });
    expect(done.status).toBe(7);
    expect(JSON.parse(done.stderr)).toMatchObject({ error: { code: 'unavailable', lock_timeout: true } });
    expect(fs.readFileSync(mailbox, 'utf8')).toBe('# Inbox\n');
    expect(fs.readdirSync(paths.side)).toEqual(['inbox.md.lock']);
    holder.stdin.end('\n');
    await ended(holder);
    expect(spawnSync(ROUSE, args, { input, encoding: 'utf8' }).status).toBe(0);
  });

  it('the seed lock in /tmp excludes us when we are set to take it, and is never followed or truncated', async () => {
    const mailbox = bench.inbox();
    fs.writeFileSync(mailbox, '');
    const input = '---\nfrom: a\nto: b\nre: c\nmsg-id: m\n---\n\nx\n';
    const shown = spawnSync(ROUSE, ['mailfile', 'lock-path', '--mailbox', mailbox, '--print-json'], {
      encoding: 'utf8',
    });
    const { compat_lock_path: compat } = JSON.parse(shown.stdout) as { compat_lock_path: string };
    expect(compat).toMatch(/^\/tmp\/foundry-mailbox-[0-9a-f]{64}\.lock$/);
    const args = ['mailfile', 'prepend', '--mailbox', mailbox, '--timeout-seconds', '0.3'];
    try {
      const holder = spawn('flock', [compat, '-c', 'echo held; read line'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      await once(holder.stdout, 'data');
      expect(spawnSync(ROUSE, [...args, '--compat-lock'], { input }).status).toBe(7);
      holder.stdin.end('\n');
      await ended(holder);
      fs.writeFileSync(compat, 'left by a script');
      expect(spawnSync(ROUSE, [...args, '--compat-lock'], { input }).status).toBe(0);
      expect(fs.readFileSync(compat, 'utf8')).toBe('left by a script');
      fs.rmSync(compat);
      const precious = path.join(bench.directory, 'precious');
      fs.writeFileSync(precious, 'precious');
      fs.symlinkSync(precious, compat);
      expect(spawnSync(ROUSE, [...args, '--compat-lock'], { input }).status).toBe(4);
      fs.rmSync(compat);
      execFileSync('mkfifo', [compat]);
      expect(spawnSync(ROUSE, [...args, '--compat-lock'], { input }).status).toBe(4);
      expect(fs.readFileSync(precious, 'utf8')).toBe('precious');
    } finally {
      fs.rmSync(compat, { force: true });
    }
  });

  it('a planted FIFO as lock is refused at once', () => {
    const mailbox = bench.inbox();
    const { paths } = new FlatFile(mailbox);
    fs.mkdirSync(paths.side);
    execFileSync('mkfifo', [paths.lock]);
    const input = '---\nfrom: a\nto: b\nre: c\n---\n\nx\n';
    const done = spawnSync(ROUSE, ['mailfile', 'prepend', '--mailbox', mailbox], { input, encoding: 'utf8' });
    expect(done.status).toBe(4);
    expect(done.stderr).toContain('not a regular file');
    expect(fs.existsSync(mailbox)).toBe(false);
  });

  it('the shim takes a mailbox and a message file, the message itself, or standard input', () => {
    const mailbox = bench.inbox();
    const shim = path.join(bench.directory, 'bin', 'shim.sh');
    fs.mkdirSync(path.dirname(shim));
    fs.symlinkSync(path.join(root, 'bin', 'mailbox-prepend.sh'), shim);
    const input = '---\nfrom: a\nto: b\nre: c\nmsg-id: m\n---\n\nx\n';
    const file = path.join(bench.directory, 'message.md');
    fs.writeFileSync(file, input);
    expect(spawnSync(shim, [mailbox, file], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stdout: 'prepended m\n',
    });
    expect(spawnSync(shim, [mailbox], { input, encoding: 'utf8' })).toMatchObject({
      status: 0,
      stdout: 'duplicate m\n',
    });
    expect(spawnSync(shim, [mailbox, input], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stdout: 'duplicate m\n',
    });
    expect(spawnSync(shim, [mailbox, 'no message'], { encoding: 'utf8' })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('---'),
    });
    expect(spawnSync(shim, [], { encoding: 'utf8' }).status).toBe(2);
    expect(idsIn(mailbox)).toEqual(['m']);
  });
});
