import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FlatFile, writeFlatMessage } from '../../src/mail/flatfile/index.ts';
import { type Bench, FULL, idsIn, setUp } from './support.ts';

const block = (id: string, size: number): string =>
  writeFlatMessage({
    fields: new Map([
      ['from', 'a@x'],
      ['to', 'b@x'],
      ['re', 'big'],
      ['created', '2026-01-01T00:00:00Z'],
      ['status', 'pending'],
      ['msg-id', id],
    ]),
    body: 'x'.repeat(size),
  });

const AS_ROOT = process.getuid?.() === 0;

describe('when the machine is in trouble', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await setUp();
  });
  beforeEach(() => bench.fresh());
  afterAll(() => bench.end());

  it('a full disk is unavailable; the original stays whole and nothing is left over', async () => {
    const mailbox = bench.inbox();
    fs.writeFileSync(mailbox, block('old', 300_000));
    const before = fs.readFileSync(mailbox);
    // A file-size limit simulates the full disk: the write of the new version fails half-way.
    const limited = bench.startLimited(
      { what: 'prepend', mailbox, ref: 'new' },
      'ulimit -f 256; trap "" XFSZ',
    );
    const { code, stderr } = await limited.done;
    expect(code).not.toBe(0);
    expect(stderr).toContain('no room to write a new version');
    expect(fs.readFileSync(mailbox).equals(before)).toBe(true);
    expect(fs.readdirSync(path.dirname(mailbox)).sort()).toEqual(['inbox.md', 'locks']);
    const again = await bench.start({ what: 'prepend', mailbox, ref: 'new' }).done;
    expect(again.lines).toMatchObject([{ result: 'prepended' }]);
  });

  it('each of several writers gets an error on a full disk, and can try again', async () => {
    const mailbox = bench.inbox();
    fs.writeFileSync(mailbox, block('old', 300_000));
    const writers = [1, 2, 3].map((n) =>
      bench.startLimited({ what: 'prepend', mailbox, ref: `new-${n}` }, 'ulimit -f 256; trap "" XFSZ'),
    );
    for (const { done } of writers) expect((await done).stderr).toContain('no room');
    expect(idsIn(mailbox)).toEqual(['old']);
    for (const n of [1, 2, 3]) await bench.start({ what: 'prepend', mailbox, ref: `new-${n}` }).done;
    expect(idsIn(mailbox)).toEqual(['new-3', 'new-2', 'new-1', 'old']);
  });

  it.runIf(AS_ROOT && canMount())(
    'a small file system that fills up leaves the mailbox readable',
    async () => {
      const mount = path.join(bench.directory, 'small');
      fs.mkdirSync(mount);
      expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', mount]).status).toBe(0);
      try {
        fs.mkdirSync(path.join(mount, '.agent'));
        const mailbox = path.join(mount, '.agent', 'inbox.md');
        const seen: string[] = [];
        for (let n = 0; ; n++) {
          const fields = new Map([
            ['from', 'a'],
            ['to', 'b'],
            ['re', 'c'],
            ['msg-id', `m-${n}`],
          ]);
          const sent = await new FlatFile(mailbox)
            .prepend({ fields, body: 'x'.repeat(50_000) })
            .catch((error) => error);
          if (sent.result !== 'prepended') {
            expect(sent).toMatchObject({ code: 'unavailable' });
            break;
          }
          seen.unshift(`m-${n}`);
        }
        expect(seen.length).toBeGreaterThan(3);
        expect(idsIn(mailbox)).toEqual(seen);
        expect(fs.readdirSync(path.dirname(mailbox)).filter((name) => name.includes('.tmp-'))).toEqual([]);
      } finally {
        spawnSync('umount', ['-l', mount]);
      }
    },
  );

  it.runIf(AS_ROOT)('a directory we may not write leaves everything as it was', async () => {
    const mailbox = bench.inbox();
    fs.writeFileSync(mailbox, block('old', 10));
    fs.chmodSync(mailbox, 0o644);
    for (let at = path.dirname(mailbox); at !== '/tmp'; at = path.dirname(at)) fs.chmodSync(at, 0o755);
    const { code, stderr } = await bench.startAs(65534, { what: 'prepend', mailbox, ref: 'new' }).done;
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/not allowed|EACCES/);
    expect(fs.readdirSync(path.dirname(mailbox))).toEqual(['inbox.md']);
    expect(idsIn(mailbox)).toEqual(['old']);
  });

  it.runIf(AS_ROOT)("what root makes in a user's directory stays usable for that user", async () => {
    const mailbox = bench.inbox();
    const agent = path.dirname(mailbox);
    for (let at = agent; at !== '/tmp'; at = path.dirname(at)) fs.chmodSync(at, 0o755);
    fs.chownSync(agent, 65534, 65534);
    await bench.start({ what: 'prepend', mailbox, ref: 'by-root' }).done;
    const { code, stderr } = await bench.startAs(65534, { what: 'prepend', mailbox, ref: 'by-user' }).done;
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(idsIn(mailbox)).toEqual(['by-user', 'by-root']);
  });

  /** A mailbox owned by root, in directories that everyone can enter. */
  const reachable = async (...ids: string[]): Promise<string> => {
    const mailbox = bench.inbox();
    for (let at = path.dirname(mailbox); at !== '/tmp'; at = path.dirname(at)) fs.chmodSync(at, 0o755);
    for (const ref of ids) await bench.start({ what: 'prepend', mailbox, ref }).done;
    return mailbox;
  };

  it.runIf(AS_ROOT)(
    'an account that may read the file may list it, whichever account owns its lock',
    async () => {
      const mailbox = await reachable('m');
      expect(fs.statSync(path.join(path.dirname(mailbox), 'locks')).mode & 0o777).toBe(0o700);
      expect(await bench.startAs(65534, { what: 'list', mailbox }).done).toMatchObject({
        code: 0,
        lines: [['m']],
      });
    },
  );

  it.runIf(AS_ROOT)('an account that may not read the file gets an error that says so', async () => {
    const mailbox = await reachable('m');
    fs.chmodSync(mailbox, 0o600);
    for (const what of ['list', 'fsck'] as const) {
      const { stderr } = await bench.startAs(65534, { what, mailbox }).done;
      expect(stderr).toContain(`not allowed to read ${mailbox}`);
      expect(stderr).toContain("code: 'forbidden'");
    }
  });

  it.runIf(AS_ROOT)('a refused writer leaves no lock directory that would shut out the others', async () => {
    const mailbox = await reachable();
    const agent = path.dirname(mailbox);
    fs.chmodSync(agent, 0o777);
    const { stderr } = await bench.startAs(65534, { what: 'prepend', mailbox, ref: 'm' }).done;
    expect(stderr).toContain('with the group (gid 0)');
    expect(stderr).toContain("code: 'forbidden'");
    expect(fs.readdirSync(agent)).toEqual([]);
  });

  it.runIf(AS_ROOT)('a writer that is not allowed gets an error that names what shuts it out', async () => {
    const mailbox = await reachable();
    const agent = path.dirname(mailbox);
    const locks = path.join(agent, 'locks');
    const refusal = async (): Promise<string> =>
      (await bench.startAs(65534, { what: 'prepend', mailbox, ref: 'm' }).done).stderr;
    expect(await refusal()).toContain(`inbox.md.lock: you may not write in ${agent}\n`);
    fs.mkdirSync(locks, { mode: 0o700 });
    expect(await refusal()).toContain(`inbox.md.lock: you may not write in ${locks}\n`);
    fs.chmodSync(locks, 0o755);
    fs.writeFileSync(path.join(locks, 'inbox.md.lock'), '', { mode: 0o600 });
    expect(await refusal()).toContain('inbox.md.lock: it belongs to another user\n');
  });

  it.runIf(AS_ROOT && canMount())('archive loses nothing, however full the disk is', async () => {
    const mount = path.join(bench.directory, 'small');
    fs.mkdirSync(mount);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=600k', 'none', mount]).status).toBe(0);
    try {
      fs.mkdirSync(path.join(mount, '.agent'));
      const mailbox = path.join(mount, '.agent', 'inbox.md');
      const filler = path.join(mount, 'filler');
      const empty = room(mount);
      let [refused, archived] = [0, 0];
      for (let free = 0; free <= 300; free += 12) {
        for (const name of ['inbox.md', 'inbox-archive.md', 'locks'])
          fs.rmSync(path.join(mount, '.agent', name), { recursive: true, force: true });
        // Replaced files free their space only when they are closed, which no one waits for.
        await vi.waitFor(() => expect(room(mount)).toBe(empty));
        fs.writeFileSync(mailbox, block('moving', 100_000) + block('staying', 50_000));
        fs.writeFileSync(filler, Buffer.alloc(room(mount) - free * 1024));
        const done = await new FlatFile(mailbox).archive({ refs: ['moving'] }).catch((error) => error);
        if (Array.isArray(done)) archived++;
        else expect(done).toMatchObject({ code: 'unavailable', message: expect.stringContaining('no room') });
        if (!Array.isArray(done)) refused++;
        const box = new FlatFile(mailbox);
        expect(box.show('moving').body).toHaveLength(100_000);
        expect(idsIn(mailbox)).toEqual(box.show('moving').archived ? ['staying'] : ['moving', 'staying']);
        fs.rmSync(filler);
        await box.archive({ refs: ['moving'] });
        expect([idsIn(mailbox), idsIn(box.paths.archive)]).toEqual([['staying'], ['moving']]);
      }
      expect([refused > 3, archived > 3]).toEqual([true, true]);
    } finally {
      spawnSync('umount', ['-l', mount]);
    }
  });

  const SIZE = FULL ? 1024 ** 3 : 100 * 1024 ** 2;
  it(
    `memory stays bounded on a mailbox of ${SIZE / 1024 ** 2} MB`,
    async () => {
      const mailbox = bench.inbox();
      const fd = fs.openSync(mailbox, 'w');
      const each = 16_000;
      let count = 0;
      for (let written = 0; written < SIZE; count++) written += fs.writeSync(fd, block(`m-${count}`, each));
      fs.closeSync(fd);
      const limits = ['--max-old-space-size=64', '--max-semi-space-size=2'];
      const rss = async (order: Parameters<Bench['start']>[0]): Promise<number> => {
        const { code, lines, stderr } = await bench.start(order, { ROUSE_TELL_RSS: '1' }, limits).done;
        expect(stderr).toBe('');
        expect(code).toBe(0);
        return (lines.at(-1) as { rss_mb: number }).rss_mb;
      };
      const peaks = [
        await rss({ what: 'prepend', mailbox, ref: 'new-1' }),
        await rss({ what: 'prepend', mailbox, ref: 'new-2' }),
        await rss({ what: 'set-status', mailbox, ref: 'm-7', status: 'actioned' }),
        await rss({ what: 'archive', mailbox, ref: `m-${count - 1}` }),
      ];
      expect(Math.max(...peaks)).toBeLessThan(200);
      const box = new FlatFile(mailbox);
      expect(box.list({ limit: 2 }).entries.map(({ ref }) => ref)).toEqual(['new-2', 'new-1']);
      expect(box.show('m-7').fields.get('status')).toBe('actioned');
    },
    FULL ? 900_000 : 120_000,
  );
});

/** Bytes left on a file system. */
function room(directory: string): number {
  const { bavail, bsize } = fs.statfsSync(directory);
  return bavail * bsize;
}

function canMount(): boolean {
  return (
    spawnSync('sh', [
      '-c',
      'd=$(mktemp -d) && mount -t tmpfs none "$d" && umount "$d"; s=$?; rmdir "$d"; exit $s',
    ]).status === 0
  );
}
