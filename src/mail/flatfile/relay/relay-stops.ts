import * as fs from 'node:fs';
import * as path from 'node:path';
import { errnoOf, forbidden, invalid, notFound } from '../../../base/index.ts';
import { FlatFile, type FlatFileOptions } from '../flat-file.ts';

/** A directory with `.agent/inbox.md` and `.agent/outbox.md`, and its addresses. */
export interface RelayDirectory {
  directory: string;
  addresses?: readonly string[] | undefined;
  /** Also reachable by names made from the directory: totebox@NAME, task@NAME, task-NAME, NAME. Default true. */
  byName?: boolean | undefined;
}

/** One directory of a relay. Its files are opened on first use, so that a planted file stops no other directory. */
export interface Stop {
  name: string;
  agent: string;
  inbox(): FlatFile;
  outbox(): FlatFile;
}

/** Directories by address. */
export type Routes = ReadonlyMap<string, Stop>;

/** The hub's addresses, for the directory that should receive them. */
export const HUB_ADDRESSES: readonly string[] = ['command@claude-code', 'master@claude-code'];

/** Opens the directories. Refuses an address that belongs to two of them. */
export function openStops(
  directories: readonly RelayDirectory[],
  options: FlatFileOptions,
): { stops: Stop[]; routes: Routes } {
  const routes = new Map<string, Stop>();
  const stops = directories.map((each) => openStop(each, options, routes));
  return { stops, routes };
}

function openStop(each: RelayDirectory, options: FlatFileOptions, routes: Map<string, Stop>): Stop {
  const place = path.resolve(each.directory);
  const agent = path.basename(place) === '.agent' ? place : path.join(place, '.agent');
  const real = realDirectory(agent);
  const inside = fs.realpathSync(place);
  const open = (file: string): (() => FlatFile) => {
    let opened: FlatFile | undefined;
    return () => (opened ??= openInside(inside, path.join(real, file), options));
  };
  const name = path.basename(path.dirname(agent));
  const stop: Stop = { name, agent: real, inbox: open('inbox.md'), outbox: open('outbox.md') };
  const named = each.byName === false ? [] : [`totebox@${name}`, `task@${name}`, `task-${name}`, name];
  for (const address of [...named, ...(each.addresses ?? [])]) {
    const other = routes.get(address);
    if (other && other.agent !== real) {
      throw invalid(`address ${address} means both ${other.agent} and ${real}`, {
        hint: 'use directories with different names, or relay them separately',
      });
    }
    routes.set(address, stop);
  }
  return stop;
}

function realDirectory(agent: string): string {
  try {
    const real = fs.realpathSync(agent);
    if (fs.statSync(real).isDirectory()) return real;
  } catch (error) {
    if (errnoOf(error) === 'EACCES') throw forbidden(`not allowed to reach ${agent}`, { cause: error });
  }
  throw notFound(`no directory ${agent}`, { hint: 'relay needs directories that contain .agent' });
}

/** Opens a mailbox whose links, and those of its archive, stay inside the directory. */
function openInside(directory: string, file: string, options: FlatFileOptions): FlatFile {
  const box = new FlatFile(file, options);
  for (const real of [box.paths.mailbox, box.paths.archive]) {
    const way = path.relative(directory, real);
    if (way === '..' || way.startsWith(`..${path.sep}`)) {
      throw forbidden(`a link in ${directory} leads outside, to ${real}`, {
        hint: 'remove the link, or relay the .agent directory it leads to',
      });
    }
  }
  return box;
}
