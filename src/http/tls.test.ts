import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { tlsServer } from './tls.ts';

const FILES = path.resolve(import.meta.dirname, '../../test/fleet/tls');
let home: string;

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-tls-'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  fs.rmSync(home, { recursive: true, force: true });
});

const at = (name: string): string => path.join(home, name);

function take(name: string): void {
  fs.writeFileSync(at('key.pem'), fs.readFileSync(path.join(FILES, `${name}.key`)), { mode: 0o600 });
  fs.copyFileSync(path.join(FILES, `${name}.pem`), at('cert.pem'));
}

/** Resolves when the directory's watchers have seen the change and their delay is over. */
async function change(work: () => void): Promise<void> {
  await new Promise<void>((seen) => {
    const watch = fs.watch(home, () => {
      watch.close();
      seen();
    });
    work();
  });
  vi.advanceTimersByTime(1000);
}

it('a new certificate is reported; a file beside it or the same problem again is not', async () => {
  take('first');
  const reported: (string | undefined)[] = [];
  const files = { certFile: at('cert.pem'), keyFile: at('key.pem') };
  const { stop } = tlsServer({ ...files, renewed: (problem) => reported.push(problem) }, () => {});
  const beside = () => change(() => fs.appendFileSync(at('server.log'), 'a line\n'));
  await beside();
  expect(reported).toEqual([]);
  await change(() => take('second'));
  await beside();
  expect(reported).toEqual([undefined]);
  await change(() => fs.writeFileSync(at('cert.pem'), 'none'));
  await beside();
  expect(reported).toEqual([undefined, expect.stringContaining('are not a certificate and its key')]);
  await change(() => take('second'));
  expect(reported).toHaveLength(3);
  stop();
});
