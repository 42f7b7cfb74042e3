import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { namesOfProcess } from '../../base/index.ts';
import { descendants } from '../life/tool-pane.ts';
import { temporaryDirectory } from '../testing.ts';
import { findTool } from './programs.ts';

let directory: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => {
  for (const child of children.splice(0)) {
    for (const { pid } of descendants(child.pid!).reverse()) process.kill(pid, 'SIGKILL');
  }
  fs.rmSync(directory, { recursive: true, force: true });
});

/** Starts it and waits for its first word. */
async function start(command: string, args: string[]): Promise<ChildProcess> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  children.push(child);
  await once(child.stdout!, 'data');
  return child;
}

const script = (name: string): string => {
  const file = path.join(directory, name);
  fs.writeFileSync(file, 'console.log("up"); process.stdin.resume()');
  return file;
};

it('a script is known by its own name, not by its interpreter', async () => {
  const child = await start(process.execPath, [script('gemini.mjs')]);
  expect(namesOfProcess(child.pid!)).toContain('gemini');
  expect(findTool(child.pid!, ['gemini'])).toMatchObject({ identity: { pid: child.pid }, name: 'gemini' });
});

it('a tool is found below the shells that started it', async () => {
  const file = script('codex.js');
  const child = await start('/bin/sh', ['-c', `/bin/sh -c '${process.execPath} ${file}; :'; :`]);
  const found = findTool(child.pid!, ['codex']);
  expect(found?.name).toBe('codex');
  expect(found?.identity.pid).not.toBe(child.pid);
});

it('nothing is found where there is no such tool, and below a process that is gone', async () => {
  const child = await start('/bin/sh', ['-c', 'echo up; read line']);
  expect(findTool(child.pid!, ['claude'])).toBeUndefined();
  expect(findTool(2 ** 30, ['claude'])).toBeUndefined();
});
