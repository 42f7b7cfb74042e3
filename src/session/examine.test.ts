import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { detectVersion } from './examine.ts';
import { temporaryDirectory } from './testing.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => {
  fs.rmSync(directory, { recursive: true, force: true });
});

function program(file: string, text: string): string {
  fs.mkdirSync(path.dirname(path.join(directory, file)), { recursive: true });
  fs.writeFileSync(path.join(directory, file), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path.join(directory, file);
}

const detect = (executable: string, npmPackage: string | null = '@x/tool') =>
  detectVersion({ npmPackage }, executable, { cwd: directory, env: { PATH: '/bin:/usr/bin' } });

it('the version of a tool is read from the package of its command, without starting the tool', async () => {
  const target = program('lib/node_modules/@x/tool/bin/tool.js', 'touch started');
  fs.writeFileSync(
    path.join(directory, 'lib/node_modules/@x/tool/package.json'),
    '{"name":"@x/tool","version":"2.1.3"}',
  );
  fs.symlinkSync(target, path.join(directory, 'tool'));
  expect(await detect(path.join(directory, 'tool'))).toBe('2.1.3');
  expect(fs.existsSync(path.join(directory, 'started'))).toBe(false);
});

it('a tool is run for its version if the package above is another one', async () => {
  fs.writeFileSync(path.join(directory, 'package.json'), '{"name":"mine","version":"9.9.9"}');
  expect(await detect(program('tool', 'echo "tool 1.2.3 (build 7)"'))).toBe('1.2.3');
});

it.each([
  ['fails', 'exit 1'],
  ['says something else', 'echo hello'],
])('the version is unknown if the tool %s', async (_, text) => {
  expect(await detect(program('tool', text))).toBeNull();
});

it('the version of a missing tool is unknown, and the tool command is never run for it', async () => {
  expect(await detect(path.join(directory, 'missing'))).toBeNull();
  expect(await detect(program('tool', 'touch started; echo 1.2.3'), null)).toBeNull();
  expect(fs.existsSync(path.join(directory, 'started'))).toBe(false);
});
