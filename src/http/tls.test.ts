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

/** Resolves when the directory's watchers have heard of it, and had their time. */
async function change(work: () => void): Promise<void> {
  await new Promise<void>((heard) => {
    const watch = fs.watch(home, () => {
      watch.close();
      heard();
    });
    work();
  });
  vi.advanceTimersByTime(1000);
}

it('a file beside the certificate is no news, nor is the same trouble again', async () => {
  take('first');
  const told: (string | undefined)[] = [];
  const files = { certFile: at('cert.pem'), keyFile: at('key.pem') };
  const { stop } = tlsServer({ ...files, renewed: (problem) => told.push(problem) }, () => {});
  const beside = () => change(() => fs.appendFileSync(at('server.log'), 'a line\n'));
  await beside();
  expect(told).toEqual([]);
  await change(() => take('second'));
  await beside();
  expect(told).toEqual([undefined]);
  await change(() => fs.writeFileSync(at('cert.pem'), 'none'));
  await beside();
  expect(told).toEqual([undefined, expect.stringContaining('are not a certificate and its key')]);
  await change(() => take('second'));
  expect(told).toHaveLength(3);
  stop();
});
