import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { identifyProcess } from '../base/index.ts';
import { ownerToken } from './owner-token.ts';

let home: string;
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-owner-'));
  fs.mkdirSync(path.join(home, 'server'));
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

const write = (name: string, text: string): void => fs.writeFileSync(path.join(home, 'server', name), text);

function record(change: object = {}): void {
  const { pid, startTicks, bootId } = identifyProcess(process.pid)!;
  const running = { host: '127.0.0.1', port: 4711, pid, process_start_ticks: startTicks, boot_id: bootId };
  write('current-instance.json', JSON.stringify({ ...running, ...change }));
}

it.each([
  ['http://127.0.0.1:4711', 'secret'],
  ['http://localhost:4711', 'secret'],
  ['http://127.0.0.1:4712', undefined],
  ['http://192.0.2.1:4711', undefined],
  ['https://127.0.0.1:4711', undefined],
])('the owner token is returned for the address of the running server only: %s', (url, token) => {
  write('owner-token', 'secret\n');
  record();
  expect(ownerToken({ ROUSE_HOME: home }, url)).toBe(token);
});

it('the owner token is not returned when the server has ended or none is recorded', () => {
  write('owner-token', 'secret\n');
  expect(ownerToken({ ROUSE_HOME: home }, 'http://127.0.0.1:4711')).toBeUndefined();
  record({ process_start_ticks: 1 });
  expect(ownerToken({ ROUSE_HOME: home }, 'http://127.0.0.1:4711')).toBeUndefined();
});
