import * as fs from 'node:fs';
import * as path from 'node:path';
import { asOtherAccount, asProgram, raw } from './call.ts';
import { targets } from './routes.ts';
import type { Stage } from './stage.ts';
import type { Tries } from './tries.ts';

/** Makes the calls from its input and prints their statuses. */
export const FETCHING = `require('stream/consumers').text(process.stdin).then(async (input) => { const said = [];
  for (const { port, method, path, body, headers } of JSON.parse(input)) {
    const asked = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch('http://127.0.0.1:' + port + path, asked);
    said.push(response.status);
    await response.body?.cancel();
  }
  console.log(JSON.stringify(said)); });`;

/** Every route, with a body that would be taken. */
export async function callEveryRoute(stage: Stage, tries: Tries, kind: string): Promise<void> {
  const all = targets(stage.ports, stage.to);
  const statuses = await asOtherAccount<number[]>(
    FETCHING,
    all.map((each) => asProgram(each)),
  );
  for (const [n, { id, server, outcomes }] of all.entries()) {
    // The third caller of either table.
    const expected = outcomes[2] === 'yes' ? 200 : outcomes[2];
    tries.add(kind, statuses[n] !== expected && `${server} ${id}: ${statuses[n]}, not ${expected}`);
  }
}

const CLOSING = `const net = require('net'); require('stream/consumers').text(process.stdin).then((input) => {
  const calls = JSON.parse(input); let n = 0;
  const next = () => { if (n === calls.length) return console.log(n);
    const [port, bytes] = calls[n++];
    const s = net.connect(port, '127.0.0.1', () => { s.write(bytes); n % 3 ? s.destroy() : s.resetAndDestroy(); });
    s.on('close', next); s.on('error', () => {}); };
  next(); });`;

/** The request is complete when its sender has closed the socket. The snapshot shows its effect. */
export async function sendAndClose(stage: Stage, tries: Tries, kind: string, rounds: number): Promise<void> {
  const changing = targets(stage.ports, stage.to).filter(({ changes }) => changes);
  const calls = Array.from({ length: rounds }, () => changing)
    .flat()
    .map((each) => [each.port, raw(asProgram(each)).repeat(2)]);
  const sent = await asOtherAccount<number>(CLOSING, calls);
  for (let n = 0; n < sent; n++) tries.add(kind);
}

const READING = `const fs = require('fs'), net = require('net'); require('stream/consumers').text(process.stdin).then((input) => {
  console.log(JSON.stringify(JSON.parse(input).map((file) => { try {
    const stat = fs.statSync(file); if (stat.isDirectory()) fs.readdirSync(file); else fs.closeSync(fs.openSync(file, 'r'));
    return true; } catch { return false; } }))); });`;

/** Files, directories and sockets of the home. */
export async function readFiles(stage: Stage, tries: Tries, kind: string): Promise<void> {
  const { directory } = stage.world;
  const files = fs
    .readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.startsWith('faults'))
    .map((file) => path.join(directory, file));
  const opened = await asOtherAccount<boolean[]>(READING, files);
  for (const [n, file] of files.entries()) tries.add(kind, opened[n] && `read ${file}`);
}
