import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { conflict, crashPoint, errnoOf } from '../../../base/index.ts';

/** A message file. It is written under another name, then renamed. */
export interface FileToMake {
  staged: string;
  file: string;
  text: string;
}

/** A link in a box. `former` is its old place if it moves. */
export interface LinkToMake {
  at: string;
  target: string;
  former?: string;
}

export interface ToMake {
  file?: FileToMake;
  links: LinkToMake[];
}

/**
 * Makes the file and links of one message. Never writes through a link: each directory up to the root is checked, once
 * for all messages that share `known`. Makes missing directories, but never the root: one that was moved away stays
 * away.
 */
export function makeVisible(root: string, { file, links }: ToMake, known: Set<string>): void {
  const writes = links.map(({ at }) => at);
  if (file) writes.push(file.staged, file.file);
  for (const each of writes) refuseLinks(root, dirname(each), known);
  if (file) makeFile(root, file);
  for (const link of links) makeLink(root, link);
  if (file) crashPoint('mailbox.publish.links');
}

function refuseLinks(root: string, directory: string, known: Set<string>): void {
  const inside = directory.startsWith(`${root}/`);
  for (let at = directory; at !== root && !known.has(at); at = dirname(at)) {
    const stat = fs.lstatSync(at, { throwIfNoEntry: false });
    if (stat?.isDirectory() === false) throw conflict(`${at} is not a directory; see "rouse mailbox repair"`);
    if (stat) known.add(at);
    if (!inside) return;
  }
}

function makeFile(root: string, { staged, file, text }: FileToMake): void {
  fs.writeFileSync(staged, text, { mode: 0o600 });
  crashPoint('mailbox.publish.staged');
  try {
    inDirectory(root, file, () => fs.renameSync(staged, file));
  } catch (error) {
    fs.rmSync(staged, { force: true });
    throw error;
  }
  crashPoint('mailbox.publish.file');
}

function makeLink(root: string, { at, target, former }: LinkToMake): void {
  if (former === undefined || !moveLink(former, at, target)) placeLink(root, at, target);
  if (former !== undefined) fs.rmSync(former, { force: true });
}

/** Returns false if the link or its new box does not exist. */
function moveLink(former: string, at: string, target: string): boolean {
  try {
    if (fs.readlinkSync(former) !== target) return false;
    fs.renameSync(former, at);
  } catch {
    return false;
  }
  crashPoint('mailbox.relink.moved');
  return true;
}

function placeLink(root: string, at: string, target: string): void {
  try {
    inDirectory(root, at, () => fs.symlinkSync(target, at));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    if (fs.lstatSync(at).isSymbolicLink() && fs.readlinkSync(at) === target) return;
    fs.rmSync(at, { force: true });
    fs.symlinkSync(target, at);
  }
}

/** Runs `make`. If the directory is missing, creates it and tries again. */
function inDirectory(root: string, file: string, make: () => void): void {
  try {
    make();
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    makeDirectory(root, dirname(file));
    make();
  }
}

function makeDirectory(root: string, directory: string): void {
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return;
    const above = dirname(directory);
    if (errnoOf(error) !== 'ENOENT' || !above.startsWith(`${root}/`)) throw error;
    makeDirectory(root, above);
    fs.mkdirSync(directory, { mode: 0o700 });
  }
}
