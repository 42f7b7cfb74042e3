import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { sampled } from './sample.ts';

const TESTS = path.resolve(import.meta.dirname, '..');

/** Walk files that take eight seconds or more on a quiet machine. Append new ones, so that earlier draws stay. */
const LONG_STORIES = [
  'cao/facts',
  'cao/join',
  'cao/recorded',
  'cao/restarts',
  'cli/completion',
  'cli/dashboard',
  'cli/doctor',
  'clock/clock-steps',
  'db-embedded-archive',
  'db-sql',
  'demo/ends',
  'faults/command-faults',
  'faults/gateway-faults',
  'faults/mail-faults',
  'faults/server-faults',
  'faults/server-small-disk',
  'flatfile/crash',
  'flatfile/trouble',
  'fleet-mail/contract',
  'fleet-mail/server-away',
  'fleet-mail/two-hosts',
  'fleet/access-matrix',
  'hosting/cli',
  'hosting/crash',
  'hosting/headless',
  'hosting/terminal',
  'fleet/remote-calls',
  'fleet/chain',
  'fleet/delivery',
  'fleet/fuzz',
  'fleet/gateway-in-fleet',
  'fleet/heartbeat',
  'fleet/nudge-database',
  'fleet/nudge',
  'fleet/operators',
  'fleet/replicas',
  'fleet/server-backup',
  'fleet/server-process',
  'headless/chats',
  'headless/crash',
  'headless/presence',
  'hosts/three-hosts',
  'install/install',
  'kills/kills',
  'limits/limits',
  'mail/filesystem-crash',
  'mcp/over-stdio',
  'mcp/own-gateway',
  'mcp/ticket-chain',
  'scripted/looks',
  'session/agents-commands',
  'session/doors',
  'session/ends-by-itself',
  'session/equip-joined',
  'session/fleet-server',
  'session/headless',
  'session/join',
  'session/kill-table',
  'session/launch-alone',
  'session/leave',
  'session/mailbox',
  'session/renamed',
  'session/restart',
  'session/roster',
  'session/skills',
  'session/team',
  'session/wake',
  'terminal/calibration',
  'terminal/command',
  'terminal/direct',
  'terminal/lane-queue',
  'terminal/lane',
  'terminal/prompt',
  'terminal/recover',
  'terminal/surface',
  'terminal/text',
  'terminal/unanswered',
  'tmux/keys',
  'tmux/session-line',
  'tmux/session',
  'tools/made-up-tool',
  'upgrade/upgrade',
  'walk/flat-file-wakes-agent',
  'walk/reminders-arrive',
  'page/idle',
  'page/widths',
  'session/lost-host',
  'session/sick-gateway',
  'session/started-by-hand',
  'session/relaunch',
  'session/host-crashes',
  'fleet/server-failed-start',
  'fleet/proxy',
  'flatfile/seed-lock',
  'fleet/a2a-cancel',
  'terminal/trial-mark',
  'faults/no-descriptors',
  'session/projects',
  'session/panes',
  'projects/two-projects',
  'projects/six-panes',
];

/** One of this many neighbours runs in `npm test`. */
const NEIGHBOURS = 5;

/**
 * The long stories that `npm test` leaves out. One of each five neighbours is drawn, so every room has one of its own.
 * Every other walk file always runs, and `npm run test:all` runs everything.
 */
export function storiesLeftOut(): string[] {
  const missing = LONG_STORIES.find((name) => !existsSync(path.join(TESTS, `${name}.test.ts`)));
  if (missing) throw new Error(`test/support/long-stories.ts names ${missing}, and there is no such test`);
  const left = LONG_STORIES.flatMap((_, first) => {
    if (first % NEIGHBOURS !== 0) return [];
    const neighbours = LONG_STORIES.slice(first, first + NEIGHBOURS);
    const [played] = sampled(`stories-${first}`, neighbours, 1);
    return neighbours.filter((name) => name !== played);
  });
  return left.map((name) => `test/${name}.test.ts`);
}
