/**
 * Loaded before a program (`node --import`): makes its writes fail as a full, broken, read-only disk or an exhausted
 * descriptor table would. The file in FAULTS_FILE says how: `ENOSPC` all writes from now on, `ENOSPC 3` only the third
 * from now on, `ENOSPC 3 state.json` the third of those whose note contains that word, `ENOSPC,EIO 0.5%` that share,
 * chosen at random, for either reason, empty none. Further lines only make one order different from the last, which
 * restarts the count. Each refused write is noted in `<file>.hits`. A program that refuses
 * its own writes imports `setFaults`.
 */
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);
const { DatabaseSync } = require('@photostructure/sqlite');
const control = process.env.FAULTS_FILE;
const { readFileSync, appendFileSync } = fs;
const original = { ...fs };
const { open } = fs.promises;
const SQLITE = { ENOSPC: 13, EMFILE: 14, EROFS: 8, EIO: 10 };
const ERRNO = { ENOSPC: -28, EMFILE: -24, EROFS: -30, EIO: -5 };

let last = '';
let count = 0;
let noting = false;

/** Whether this write is chosen, by its number or by the percentage. */
function isChosen(which) {
  return which.endsWith('%') ? Math.random() * 100 < Number.parseFloat(which) : ++count === Number(which);
}

/** The errno with which this write must fail; undefined if it must not. */
function due(what) {
  if (noting) return undefined;
  const wanted = readFileSync(control, 'utf8').trim();
  if (wanted !== last) {
    last = wanted;
    count = 0;
  }
  const [errnos, which, ...words] = wanted.split('\n')[0].split(' ');
  const word = words.join(' ');
  if (!errnos || !what.includes(word) || (which !== undefined && !isChosen(which))) return undefined;
  const among = errnos.split(',');
  const errno = among[Math.floor(Math.random() * among.length)];
  noting = true;
  appendFileSync(`${control}.hits`, `${errno} ${what}\n`);
  noting = false;
  return errno;
}

/** Replaces the order in the file. Returns the notes of the writes refused before. */
export function setFaults(wanted) {
  noting = true;
  try {
    original.writeFileSync(control, wanted);
    return readFileSync(`${control}.hits`, 'utf8').split('\n').filter(Boolean);
  } finally {
    noting = false;
  }
}

function refuse(syscall, path) {
  const errno = due(`${syscall} ${typeof path === 'string' ? path.split('/').at(-1) : ''}`);
  if (!errno) return;
  throw Object.assign(new Error(`${errno}: injected, ${syscall}`), {
    code: errno,
    errno: ERRNO[errno],
    syscall,
  });
}

/** A write to a terminal or a pipe, not to the disk. */
const isPrinted = (to) => (to === 1 || to === 2) && !original.fstatSync(to).isFile();

const writes = (flags) =>
  typeof flags === 'string'
    ? !/^rs?$/.test(flags)
    : (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0;

for (const name of [
  'writeSync',
  'writeFileSync',
  'appendFileSync',
  'renameSync',
  'linkSync',
  'mkdirSync',
  'fsyncSync',
  'fdatasyncSync',
  'ftruncateSync',
  'truncateSync',
  'symlinkSync',
  'copyFileSync',
  'cpSync',
  'mkdtempSync',
  'chmodSync',
  'fchmodSync',
  'futimesSync',
  'utimesSync',
  'lutimesSync',
]) {
  fs[name] = (...args) => {
    if (!isPrinted(args[0])) refuse(name, args[0]);
    return original[name](...args);
  };
}
fs.openSync = (path, flags = 'r', mode) => {
  if (writes(flags)) refuse('openSync', path);
  return original.openSync(path, flags, mode);
};
for (const name of ['write', 'fsync', 'fdatasync']) {
  fs[name] = (...args) => {
    try {
      refuse(name);
    } catch (error) {
      return void setImmediate(args.at(-1), error);
    }
    return original[name](...args);
  };
}
// Promisified, the original returns an object, and so does this one.
fs.write[promisify.custom] = async (...args) => {
  refuse('write');
  return promisify(original.write)(...args);
};
fs.promises.open = async (...args) => {
  const handle = await open(...args);
  const { sync } = handle;
  handle.sync = async () => {
    refuse('sync', args[0]);
    return sync.call(handle);
  };
  return handle;
};
syncBuiltinESMExports();

/** SQLite writes in native code, so its statements are refused instead, with its own codes. */
const CHANGES = /^\s*(INSERT|UPDATE|DELETE|REPLACE|COMMIT|RELEASE)\b/i;
const refusing = (DatabaseSync) =>
  class Refusing extends DatabaseSync {
    prepare(sql, ...rest) {
      const refuses = CHANGES.test(sql);
      return new Proxy(super.prepare(sql, ...rest), {
        get(statement, name) {
          const value = statement[name];
          if (typeof value !== 'function') return value;
          return (...args) => {
            const errno = refuses && due(`sqlite ${sql.trim().split(/\s+/).slice(0, 3).join(' ')}`);
            if (errno)
              throw Object.assign(new Error(`${errno}: injected, sqlite`), {
                code: 'ERR_SQLITE_ERROR',
                errcode: SQLITE[errno],
              });
            return value.apply(statement, args);
          };
        },
      });
    }
  };
const cached = require.cache[require.resolve('@photostructure/sqlite')];
cached.exports = { ...cached.exports, DatabaseSync: refusing(DatabaseSync) };
// Built programs open the native file directly (src/base/native.ts).
const { dlopen } = process;
process.dlopen = (module, file, ...rest) => {
  dlopen.call(process, module, file, ...rest);
  const { DatabaseSync: opened } = module.exports;
  if (opened) module.exports = { ...module.exports, DatabaseSync: refusing(opened) };
};
