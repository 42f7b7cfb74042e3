import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { commandLine, conflict, ensureDirectory, readIfExists, writeFileAtomic } from '../../base/index.ts';
import type { Flag, Input, Output } from '../command.ts';
import { unitMark } from './unit-text.ts';

export const PRINT = { name: 'print', summary: 'print the unit and write nothing' } as const satisfies Flag;

export const configDirectory = ({ env }: Input): string =>
  env['XDG_CONFIG_HOME'] || path.join(env['HOME'] || os.homedir(), '.config');

export const unitPath = (input: Input, name: string): string =>
  path.join(configDirectory(input), 'systemd', 'user', name);

/** The command line of this installation, for a unit. */
export async function ownProgram(): Promise<string[]> {
  const { packageRoot } = await import('../../session/index.ts');
  return [process.execPath, path.join(packageRoot(), 'dist', 'rouse.cjs')];
}

/** Writes a unit. A file that Rouse did not write is left alone. */
export function writeUnit(file: string, text: string, writtenBy: string): void {
  refuseForeign(file, writtenBy);
  ensureDirectory(path.dirname(file));
  writeFileAtomic(file, text, { mode: 0o644 });
}

export function removeUnit(file: string, writtenBy: string): Output {
  if (!fs.existsSync(file)) return { data: { removed: false }, plain: `There is no ${file}.` };
  refuseForeign(file, writtenBy);
  fs.rmSync(file);
  const name = path.basename(file);
  const plain = commandLine`Removed ${file}. If it runs: systemctl --user stop ${name}; systemctl --user daemon-reload`;
  return { data: { removed: true, unit_file: file }, plain };
}

function refuseForeign(file: string, writtenBy: string): void {
  const text = readIfExists(file);
  if (text === undefined || text.startsWith(unitMark(writtenBy))) return;
  throw conflict(`${file} was not written by Rouse`, { hint: 'see --print, and change it by hand' });
}

/** How to start a unit that was written. */
export const startLines = (name: string): string[] => [
  '  systemctl --user daemon-reload',
  commandLine`  systemctl --user enable --now ${name}`,
  '  loginctl enable-linger      # to keep it running while you are logged out',
];
