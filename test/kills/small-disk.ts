import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

const SIZE = 512 * 1024 * 1024;

/**
 * A separate file system that can be filled to the last byte and emptied again. If none can be mounted (that needs root),
 * injected faults refuse writes instead; `isReal` says which.
 */
export class SmallDisk {
  readonly directory: string;
  readonly isReal: boolean;
  #ballast: string;

  constructor() {
    this.directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rk-'));
    this.isReal =
      spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'none', this.directory]).status === 0;
    this.#ballast = path.join(this.directory, 'ballast');
  }

  /** Takes all free room. Call it again to take what others have freed since. */
  fill(): void {
    const ballast = fs.openSync(this.#ballast, 'a');
    try {
      for (let piece = 1 << 22; piece >= 4096; piece >>= 1) {
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

  close(): void {
    if (this.isReal) spawnSync('umount', ['-l', this.directory]);
    fs.rmSync(this.directory, { recursive: true, force: true });
  }
}
