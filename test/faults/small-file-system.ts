import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { onTestFinished } from 'vitest';
import { sampled } from '../support/sample.ts';

const KINDS = ['tmpfs', 'ext4'] as const;
type Kind = (typeof KINDS)[number];

const MEGABYTE = 1024 * 1024;

/** A real file system of a few megabytes, in memory or in a file, that can be filled to the last byte and made read-only. */
class SmallFileSystem {
  readonly directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rf-'));
  #image: string | undefined;
  #ballast = path.join(this.directory, 'ballast');

  /** Throws if it cannot be mounted: that needs root, and for ext4 loop devices and mkfs. */
  constructor(kind: Kind, megabytes: number) {
    if (kind === 'tmpfs')
      this.#run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', this.directory);
    else {
      this.#image = `${this.directory}.img`;
      fs.writeFileSync(this.#image, '');
      fs.truncateSync(this.#image, megabytes * MEGABYTE);
      this.#run('mkfs.ext4', '-q', '-m', '0', this.#image);
      this.#run('mount', '-o', 'loop', this.#image, this.directory);
    }
  }

  /** Takes all free room. */
  fill(): void {
    const ballast = fs.openSync(this.#ballast, 'a');
    try {
      for (let piece = MEGABYTE; piece >= 512; piece >>= 1) {
        const zeros = Buffer.alloc(piece);
        try {
          while (fs.writeSync(ballast, zeros) === piece);
        } catch {}
      }
    } finally {
      fs.closeSync(ballast);
    }
  }

  empty(): void {
    fs.rmSync(this.#ballast, { force: true });
  }

  /** No process may have a file open for writing. */
  setReadOnly(readOnly: boolean): void {
    this.#run('mount', '-o', `remount,${readOnly ? 'ro' : 'rw'}`, this.directory);
  }

  close(): void {
    spawnSync('umount', ['-l', this.directory]);
    fs.rmSync(this.directory, { recursive: true, force: true });
    if (this.#image) fs.rmSync(this.#image, { force: true });
  }

  #run(program: string, ...args: string[]): void {
    const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
    if (status === 0) return;
    this.close();
    throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`);
  }
}

/** The disks that a test file tries. A skipped one has the reason in its title. */
export function disksFor(file: string): { kind: Kind; reason: string | undefined; title: string }[] {
  return sampled(file, KINDS, 1).map((kind) => {
    const reason = whyNot(kind);
    return { kind, reason, title: reason === undefined ? kind : `${kind} (not here: ${reason})` };
  });
}

/** A disk that is removed after the test. */
export function smallDisk(kind: Kind, megabytes: number): SmallFileSystem {
  const made = new SmallFileSystem(kind, megabytes);
  onTestFinished(() => made.close());
  return made;
}

/** Why a disk of this kind is not possible here; undefined if it is. */
function whyNot(kind: Kind): string | undefined {
  try {
    new SmallFileSystem(kind, 4).close();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
