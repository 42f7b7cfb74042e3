import * as fs from 'node:fs';
import { createServer } from 'node:net';
import * as path from 'node:path';
import { messageOf, openFilesLimit, shellQuote } from '../../base/index.ts';
import type { Input } from '../command.ts';
import { type Check, type Finding, ok, problem, warning } from './check.ts';

/** The machine: Node, disk, clock, file descriptors, loopback. */

const OLDEST_NODE = [20, 19];

const node: Check = {
  id: 'node',
  look() {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const isOld = major < OLDEST_NODE[0]! || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]!);
    return isOld
      ? problem(
          'node',
          `Node ${process.versions.node} is too old`,
          `install Node ${OLDEST_NODE.join('.')} or newer`,
        )
      : ok('node', `Node ${process.versions.node}`);
  },
};

const MEBIBYTE = 1024 * 1024;

const disk: Check = {
  id: 'disk',
  look({ settings }) {
    const place = existing(settings.home);
    const { bavail, bsize, files, ffree } = fs.statfsSync(place);
    const free = (bavail * bsize) / MEBIBYTE;
    const words = `${free >= 1024 ? `${(free / 1024).toFixed(1)} GiB` : `${Math.floor(free)} MiB`} free for ${settings.home}`;
    if (files > 0 && ffree < 1000)
      return problem(
        'disk',
        `only ${ffree} more files fit on the disk of ${settings.home}`,
        'delete files there',
      );
    if (free < 100)
      return problem('disk', words, 'free some disk space: mail and queues are written durably');
    if (free < 1024) return warning('disk', words, 'free some disk space');
    return ok('disk', words);
  },
};

/** The nearest directory that exists. */
function existing(place: string): string {
  return fs.existsSync(place) ? place : existing(path.dirname(place));
}

/** No clock can be right before this time: the program did not exist. */
const EARLIEST = Date.parse('2026-01-01T00:00:00Z');
const SLACK_MS = 60_000;

const clock: Check = {
  id: 'clock',
  look({ settings }) {
    const now = Date.now();
    const fix = 'set the clock: timedatectl set-ntp true';
    if (now < EARLIEST)
      return problem('clock', `it says ${new Date(now).toISOString()}, which is in the past`, fix);
    const newest = newestIn([
      settings.registryDir,
      path.join(settings.runtimeDir, 'sessions'),
      settings.home,
    ]);
    if (newest - now > SLACK_MS)
      return warning(
        'clock',
        `files of ${settings.home} are from the future (${new Date(newest).toISOString()})`,
        fix,
      );
    return ok('clock', new Date(now).toISOString());
  },
};

function newestIn(directories: string[]): number {
  return Math.max(
    0,
    ...directories.map((each) => fs.statSync(each, { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
}

const ENOUGH_FILES = 1024;

const descriptors: Check = {
  id: 'descriptors',
  look() {
    const soft = openFilesLimit();
    if (soft === undefined) return ok('descriptors', 'unknown on this system');
    return soft < ENOUGH_FILES
      ? warning('descriptors', `a process may open only ${soft} files`, `ulimit -n ${ENOUGH_FILES}`)
      : ok('descriptors', `${soft} open files allowed`);
  },
};

const loopback: Check = {
  id: 'ports',
  look: () =>
    new Promise<Finding>((resolve) => {
      const server = createServer();
      server.once('error', (error) =>
        resolve(
          problem('ports', `no port of 127.0.0.1 can be bound: ${messageOf(error)}`, 'ip link set lo up'),
        ),
      );
      server.listen(0, '127.0.0.1', () =>
        server.close(() => resolve(ok('ports', 'ports of 127.0.0.1 can be bound'))),
      );
    }),
};

/** Private places: only the owner may read them. */
const home: Check = {
  id: 'home',
  look(input) {
    const { home: place } = input.settings;
    const stat = fs.lstatSync(place, { throwIfNoEntry: false });
    if (!stat) return ok('home', `${place} will be created by the first command that needs it`);
    if (stat.isSymbolicLink() ? !fs.statSync(place).isDirectory() : !stat.isDirectory())
      return problem(
        'home',
        `${place} is not a directory`,
        `mv ${shellQuote(place)} ${shellQuote(`${place}.old`)}`,
      );
    if (stat.uid !== process.getuid?.())
      return problem(
        'home',
        `${place} belongs to another account (uid ${stat.uid})`,
        `chown -R $(id -u) ${shellQuote(place)}`,
      );
    const open = openPlaces(input);
    if (open.length === 0) return ok('home', `${place}, private`);
    const [first] = open;
    const finding = problem(
      'home',
      `other accounts may read ${first}${open.length > 1 ? ` and ${open.length - 1} more` : ''}`,
      `chmod go-rwx ${open.slice(0, 5).map(shellQuote).join(' ')}`,
    );
    return { ...finding, repair: () => closeToOthers(open) };
  },
};

function closeToOthers(places: readonly string[]): void {
  for (const place of places) fs.chmodSync(place, fs.lstatSync(place).mode & 0o700);
}

/** Nothing inside a private home can be reached, so only the home, places outside of it, and every token are checked. */
function openPlaces({ settings }: Input): string[] {
  const places = [
    settings.home,
    settings.runtimeDir,
    settings.mailboxDir,
    settings.registryDir,
    path.join(settings.home, 'server', 'admin-token'),
    path.join(settings.home, 'config', 'trusted.json'),
  ];
  return [...new Set(places)].filter((place) => {
    const stat = fs.lstatSync(place, { throwIfNoEntry: false });
    const ours = stat?.isFile() || stat?.isDirectory();
    return stat && ours && stat.uid === process.getuid?.() && (stat.mode & 0o077) !== 0;
  });
}

export const MACHINE_CHECKS: Check[] = [node, home, disk, clock, descriptors, loopback];
