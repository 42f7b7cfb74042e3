import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** A mail store that the system refuses: no permission, no space, dangling links. */
const PROGRAM = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');
const AS_ROOT = process.getuid?.() === 0;
const NOBODY = 65534;

let directory: string;
let root: string;
beforeEach(() => {
  directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-mail-trouble-')));
  fs.chmodSync(directory, 0o755);
  root = path.join(directory, 'mail');
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

function rouse(args: string[], uid?: number) {
  const { code, error } = say(args, uid);
  return { code, error };
}

function say(args: string[], uid?: number) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, '--print-json', ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: path.join(directory, 'home') },
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const said = JSON.parse(status === 0 ? stdout : stderr) as { error?: Record<string, string> };
  return { code: status, error: said.error, said };
}

function made(at = root): void {
  expect(rouse(['mailbox', 'init', '--mailbox-root', at]).code).toBe(0);
  expect(rouse(['mailbox', 'register', '--mailbox-root', at, '--address', 'a@x']).code).toBe(0);
}

const LOOKS: [string, string[]][] = [
  ['mail list', ['mail', 'list', '--address', 'a@x']],
  ['mailbox status', ['mailbox', 'status']],
  ['mailbox init', ['mailbox', 'init']],
  ['mailbox repair', ['mailbox', 'repair']],
];

describe.runIf(AS_ROOT)("another user's mail store", () => {
  it.each(LOOKS)(
    "another user's mail store that is private is refused to %s with exit code 8 and what to do",
    (_, args) => {
      made();
      const said = rouse([...args, '--mailbox-root', root], NOBODY);
      expect(said).toMatchObject({ code: 8, error: { code: 'forbidden' } });
      expect(said.error!['message']).toContain(root);
      expect(said.error!['hint']).toContain('run as the user who owns it');
    },
  );

  it.each(LOOKS)("another user's mail store that may be read but not written is refused to %s", (_, args) => {
    made();
    spawnSync('chmod', ['-R', 'a+rX', root]);
    expect(rouse([...args, '--mailbox-root', root], NOBODY)).toMatchObject({ code: 8 });
  });

  it("another user's mail store is not made where nothing may be written", () => {
    expect(rouse(['mailbox', 'init', '--mailbox-root', root], NOBODY)).toMatchObject({ code: 8 });
    expect(fs.existsSync(root)).toBe(false);
  });
});

describe.runIf(AS_ROOT)('a mail store that is closed to every writer', () => {
  it('a mail store that is closed to every writer can be looked at, searched and exported, and is not written', () => {
    fs.mkdirSync(root);
    fs.chownSync(root, NOBODY, NOBODY);
    const as = (...args: string[]) => say([...args, '--mailbox-root', path.join(root, 'store')], NOBODY);
    const post = ['mail', 'post', '--address', 'a@x', '--subject', 'kept', '--body-content', 'x'];
    as('mailbox', 'init');
    as('mailbox', 'register', '--address', 'a@x');
    expect(as(...post).code).toBe(0);
    spawnSync('chmod', ['-R', 'a-w', path.join(root, 'store')]);
    const before = fs.readdirSync(path.join(root, 'store'));
    for (const look of [['list'], ['search', 'kept']]) {
      expect(as('mail', ...look, '--address', 'a@x')).toMatchObject({ code: 0, said: { message_count: 1 } });
    }
    expect(as('mailbox', 'status')).toMatchObject({
      code: 0,
      said: { message_count: 1, warnings: [expect.stringContaining('not written')] },
    });
    expect(as('mailbox', 'export', '--all-accounts', '--output-dir', path.join(root, 'out')).code).toBe(0);
    expect(as(...post)).toMatchObject({ code: 8, error: { code: 'forbidden' } });
    expect(fs.readdirSync(path.join(root, 'store'))).toEqual(before);
  });
});

it.each(['', 'below'])('a root at a link to nothing (%s) is refused, and the link is named', (below) => {
  fs.symlinkSync(path.join(directory, 'nowhere'), root);
  const said = rouse(['mailbox', 'init', '--mailbox-root', path.join(root, below)]);
  expect(said).toMatchObject({ code: 4, error: { message: expect.stringContaining(root) } });
  expect(said.error!['hint']).toContain('link');
  expect(fs.existsSync(path.join(directory, 'nowhere'))).toBe(false);
});

it.runIf(AS_ROOT && canMount())('a full disk is reported as full to readers and writers', () => {
  fs.mkdirSync(root);
  expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=600k', 'none', root]).status).toBe(0);
  try {
    const store = path.join(root, 'store');
    made(store);
    expect(() => fs.writeFileSync(path.join(root, 'fill'), Buffer.alloc(1_000_000))).toThrow('ENOSPC');
    const post = ['mail', 'post', '--address', 'a@x', '--subject', 's', '--body-content', 'x'];
    for (const args of [['mail', 'list', '--address', 'a@x'], post]) {
      const said = rouse([...args, '--mailbox-root', store]);
      expect(said).toMatchObject({ code: 7, error: { hint: expect.stringContaining('disk space') } });
      expect(said.error!['message']).toContain('the disk is full');
    }
    fs.rmSync(path.join(root, 'fill'));
    expect(rouse([...post, '--mailbox-root', store]).code).toBe(0);
  } finally {
    spawnSync('umount', ['-l', root]);
  }
});

function canMount(): boolean {
  const script = 'd=$(mktemp -d) && mount -t tmpfs none "$d" && umount "$d"; s=$?; rmdir "$d"; exit $s';
  return spawnSync('sh', ['-c', script]).status === 0;
}
