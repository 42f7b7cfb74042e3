import * as fs from 'node:fs';
import { armCrashPoint, createLog, systemClock } from '../../../src/base/index.ts';
import { NoticeOwner, type Seen, type SeenNeed } from '../../../src/notices/index.ts';

/**
 * A sender of notices in a process of its own, which the proof kills. The needs are a file that the proof replaces: what
 * gateways and mail are for a real host.
 */
const [directory, needsFile] = process.argv.slice(2) as [string, string];

let changed: () => void = () => {};
const owner = new NoticeOwner({
  owner: 'host',
  directory,
  clock: systemClock,
  log: createLog({ clock: systemClock, write: (line) => void process.stderr.write(line) }),
  source: {
    start(onChange) {
      changed = onChange;
      fs.watch(needsFile.slice(0, needsFile.lastIndexOf('/')), () => changed());
    },
    stop() {},
    async look(): Promise<Seen> {
      const needs = JSON.parse(fs.readFileSync(needsFile, 'utf8')) as SeenNeed[];
      return { needs, isUnsure: () => false };
    },
  },
});
armCrashPoint(process.env['ROUSE_CRASH_AT']);
owner.start();
process.stdout.write('ready\n');
