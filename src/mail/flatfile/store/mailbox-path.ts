import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { errnoOf, forbidden, invalid, notFound, sha256 } from '../../../base/index.ts';

/** One mailbox file and everything that belongs to it. Every spelling of its path gives the same result. */
export interface MailboxPaths {
  /** The file itself, symbolic links resolved. It need not exist. */
  mailbox: string;
  directory: string;
  basename: string;
  /** Where messages are archived: `inbox-archive.md` beside `inbox.md`. */
  archive: string;
  /** Directory of the lock and other files of the mailbox. */
  side: string;
  lock: string;
  /** The lock of the shell recipe: `/tmp/foundry-mailbox-<sha256 of the real path>.lock`. */
  seedLock: string;
  /** True in an `.agent` directory, whose users share its lock. Elsewhere all writers share the recipe's lock. */
  scoped: boolean;
  /** Exists while messages are being moved to the archive. */
  moving: string;
  /** Other users of the directory's group share this mailbox. */
  shared: boolean;
  /** The owner of the directory. Root leaves nothing there that the owner could not use. */
  owner: { uid: number; gid: number };
}

export interface LocateOptions {
  /** Where the locks of mailboxes outside an .agent directory are. Every process that writes them must agree. */
  privateRoot?: string | undefined;
}

export function locateMailbox(typed: string, options: LocateOptions = {}): MailboxPaths {
  if (typed.trim() === '' || typed.includes('\u0000')) throw invalid('the mailbox path must not be blank');
  const mailbox = resolveFile(path.resolve(typed));
  const directory = path.dirname(mailbox);
  const basename = path.basename(mailbox);
  const stat = fs.statSync(directory);
  const scoped = path.basename(directory) === '.agent';
  const side = scoped ? path.join(directory, 'locks') : (options.privateRoot ?? defaultPrivateRoot());
  // Outside an .agent directory the name comes from the directory's inode, so that bind mounts share it.
  const stem = scoped ? basename : sha256(`${stat.dev}:${stat.ino}\n${basename}`).slice(0, 32);
  return {
    mailbox,
    directory,
    basename,
    archive: resolveFile(path.join(directory, archiveName(basename))),
    side,
    lock: path.join(side, `${stem}.lock`),
    seedLock: `/tmp/foundry-mailbox-${sha256(mailbox)}.lock`,
    scoped,
    moving: path.join(side, `${stem}.moving`),
    shared: scoped && (stat.mode & 0o020) !== 0,
    owner: scoped
      ? { uid: stat.uid, gid: stat.gid }
      : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
  };
}

function archiveName(basename: string): string {
  const extension = path.extname(basename);
  return `${basename.slice(0, basename.length - extension.length)}-archive${extension}`;
}

/** The real path of a file that may not exist yet, or whose last link dangles. */
function resolveFile(file: string, hops = 0): string {
  try {
    const real = fs.realpathSync(file);
    if (!fs.statSync(real).isFile()) throw invalid(`${file} is not a regular file`);
    return real;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw explainPath(error, file);
  }
  try {
    const target = fs.readlinkSync(file);
    if (hops > 40) throw invalid(`${file} is a loop of symbolic links`);
    return resolveFile(path.resolve(path.dirname(file), target), hops + 1);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'EINVAL') throw explainPath(error, file);
  }
  try {
    return path.join(fs.realpathSync(path.dirname(file)), path.basename(file));
  } catch (error) {
    throw explainPath(error, file);
  }
}

function explainPath(error: unknown, file: string): unknown {
  switch (errnoOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return notFound(`no directory ${path.dirname(file)}`, {
        hint: `make it first: mkdir -p ${path.dirname(file)}`,
      });
    case 'EACCES':
      return forbidden(`not allowed to reach ${file}`, { cause: error });
    case 'ELOOP':
      return invalid(`${file} is a loop of symbolic links`);
    default:
      return error;
  }
}

/**
 * One place per user, from the account and never from the environment: two processes that disagreed about it would not
 * exclude each other.
 */
function defaultPrivateRoot(): string {
  const uid = process.getuid?.() ?? 0;
  let home: string | undefined;
  try {
    home = os.userInfo().homedir;
  } catch {
    home = undefined;
  }
  const owned = home !== undefined && fs.statSync(home, { throwIfNoEntry: false })?.uid === uid;
  return owned ? path.join(home!, '.rouse', 'mailfile') : path.join('/tmp', `rouse-${uid}`, 'mailfile');
}

const NETWORK_FILESYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'FUSE'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x73757245, 'Coda'],
]);

/** Returns a warning if the mailbox is where flock(2) may not exclude other machines. */
export function networkWarning(paths: MailboxPaths): string | undefined {
  const name = NETWORK_FILESYSTEMS.get(Number(fs.statfsSync(paths.directory).type) >>> 0);
  return name === undefined
    ? undefined
    : `${paths.directory} is on ${name}: locks may not exclude writers on other machines; keep mailboxes on a local disk`;
}
