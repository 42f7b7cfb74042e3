// The slow proofs by name, with the test files of each. At full size they run for minutes, some for most of an hour.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from './setup.mjs';

export const PROOFS = {
  mail: { project: 'walk', files: ['test/mail', 'test/flatfile'], reports: true },
  kill: { project: 'walk', files: ['test/session/kill-table'] },
  lane: { project: 'walk', files: ['test/terminal/lane', 'test/terminal/text'], reports: true },
  clock: { project: 'walk', files: ['test/clock'], reports: true },
  crash: { project: 'walk', files: ['test/crash'], reports: true },
  kills: { project: 'walk', files: ['test/kills'], programs: ['postgres'] },
  // Each part of an agent dies, and each command that a person may try first is run: docs/deaths.md.
  deaths: { project: 'walk', files: ['test/deaths'], reports: true },
  attack: { project: 'walk', files: ['test/attack'], programs: ['postgres'], reports: true },
  faults: { project: 'walk', files: ['test/faults'], reports: true },
  // Needs are reported while sender and channels fail.
  notices: {
    project: 'walk',
    files: ['test/notices'],
    programs: ['dunst', 'xvfb', 'gdbus', 'notify-send', 'aiosmtpd'],
    reports: true,
  },
  queue: { project: 'walk', files: ['test/queue'] },
  // Pauses at random moments against everything that types by itself, with kills.
  pause: { project: 'walk', files: ['test/pause'], reports: true },
  gateway: { project: 'unit', files: ['src/gateway/http'] },
  fleet: {
    project: 'walk',
    files: [
      'test/fleet/replicas',
      'test/hosting/access',
      'test/fleet/take-over',
      'test/fleet/nudge',
      'test/fleet/a2a-turns',
      'test/fleet/operators',
      'test/fleet/gateway-in-fleet',
      'test/hosts',
    ],
    programs: ['postgres', 'pgbouncer'],
    reports: true,
  },
  // Each task of each view at two widths and in both themes, in a real browser; pictures are written to docs/pictures.
  page: { project: 'walk', files: ['test/page'], programs: ['chromium'], reports: true },
  // Tests of which `npm test` draws some rows of a matrix or one of two databases.
  matrices: {
    project: 'walk',
    files: [
      'test/db-',
      'test/fleet',
      'test/headless/crash',
      'test/session/agents-commands',
      'test/session/ends-by-itself',
      'test/session/leave',
      'test/terminal/unanswered',
    ],
    programs: ['postgres', 'pgbouncer'],
  },
  // The suites that start gateways, in each of the three modes; among them the drain (10,000 headless turns), the crash matrix
  // (144 cells, two kills each) and the kill table (203 runs).
  modes: {
    project: 'walk',
    files: [
      'test/walk/mail-wakes',
      'test/walk/flat-file-wakes',
      'test/walk/mail-store-replaced',
      'test/walk/reminders-arrive',
      'test/walk/interrupts-wait',
      'test/walk/turns',
      'test/queue',
      'test/crash',
      'test/clock',
      'test/session/doors',
      'test/session/ends-by-itself',
      'test/session/headless',
      'test/session/hosted',
      'test/session/join',
      'test/session/kill-table',
      'test/session/leave',
      'test/session/renamed',
      'test/session/restart',
    ],
    modes: ['detached_process', 'tmux_auxiliary_window', 'hosted'],
    reports: true,
  },
  // Projects with the same names, and panes that are moved about: nothing goes astray.
  projects: { project: 'walk', files: ['test/projects'], reports: true },
  screens: {
    project: 'unit',
    files: ['test/screen/captures', 'test/screen/lost-rows', 'test/screen/corruption'],
    reports: true,
  },
  // Usage limits: banners, zones, daylight saving, clock steps, kills.
  limits: {
    project: ['unit', 'walk'],
    files: ['src/terminal/limits', 'src/screen/limits', 'src/gateway/resume-after-limit', 'test/parking'],
    reports: true,
  },
  // Who waits for whom: random graphs against brute force, the store's edges, kills, and the server's replicas.
  waits: {
    project: ['unit', 'walk'],
    files: ['src/domain/waits', 'src/mail/filesystem/waits', 'test/waits', 'test/fleet/waits'],
    programs: ['postgres'],
    reports: true,
  },
  golden: { project: 'walk', files: ['test/golden'] },
  // Suites and clients of other projects, installed if missing: scripts/foreign-tools.mjs.
  foreign: {
    project: 'foreign',
    files: ['test/foreign'],
    programs: ['promtool'],
    reports: true,
    timeout: 600_000,
  },
  agents: { project: 'agents', files: ['test/agents'], timeout: 120_000 },
};

export const vitest = path.join(root, 'node_modules', '.bin', 'vitest');

/** The call of vitest for one proof at full size, or for the files of its folder that begin with a name. */
export function proofCall(name, only) {
  const { project, timeout = 7_200_000, ...all } = PROOFS[name];
  const files = only?.map((each) => path.join(all.files[0], each)) ?? all.files;
  const missing = files.find((file) => !begins(file));
  if (missing) throw new Error(`the proof ${name} names ${missing}, and there is no such test`);
  return {
    args: [
      'run',
      ...[project].flat().flatMap((each) => ['--project', each]),
      '--testTimeout',
      `${timeout}`,
      '--hookTimeout',
      `${timeout}`,
      ...files,
    ],
    env: { ...process.env, ROUSE_PROOF: 'full' },
  };
}

/** Whether a test file begins with this path; vitest would silently leave out a missing one. */
function begins(file) {
  const { dir, base } = path.parse(path.join(root, file));
  return readdirSync(dir).some((name) => name.startsWith(base));
}
