import { execFile } from 'node:child_process';
import { findProgram } from '../../base/index.ts';
import type { ChannelTargets } from '../outbox/subscription.ts';
import { type Sender, type Sending, SendingFailed } from './channel.ts';

const PATIENCE_MS = 10_000;
const PROGRAM = 'notify-send';

/** What a program needs to reach the desktop of the person who subscribed. */
const VARIABLES = [
  'PATH',
  'HOME',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
];

export const desktopTarget = (env: NodeJS.ProcessEnv): ChannelTargets['desktop'] => ({
  env: Object.fromEntries(VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
});

/** A second one with the same tag replaces the first, also if the number of the first was lost. */
const tagged = (uid: string): string[] => [
  `--hint=string:x-canonical-private-synchronous:rouse-${uid}`,
  `--hint=string:x-dunst-stack-tag:rouse-${uid}`,
];

async function show({ target, notice, receipt, signal }: Sending<'desktop'>): Promise<string | null> {
  const body = [notice.text, notice.command].filter((each) => each !== null).join('\n');
  const shown = await run(target.env, signal, PROGRAM, [
    '--app-name=Rouse',
    '--print-id',
    ...tagged(notice.uid),
    ...(receipt === null ? [] : [`--replace-id=${receipt}`]),
    '--',
    notice.title,
    body.replace(/[&<>]/g, (each) => MARKUP[each]!),
  ]);
  const id = /^\d+$/m.exec(shown)?.[0];
  return id ?? null;
}

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Closes it where a program for that is installed; else replaces it with one that disappears at once. */
async function close({ target, notice, receipt, signal }: Sending<'desktop'>): Promise<void> {
  if (receipt === null) return;
  if (findProgram('gdbus', target.env, '/')) {
    await run(target.env, signal, 'gdbus', [
      ...['call', '--session', '--dest', 'org.freedesktop.Notifications'],
      ...['--object-path', '/org/freedesktop/Notifications'],
      ...['--method', 'org.freedesktop.Notifications.CloseNotification', receipt],
    ]);
    return;
  }
  await run(target.env, signal, PROGRAM, [
    ...['--app-name=Rouse', '--expire-time=1', '--hint=int:transient:1', ...tagged(notice.uid)],
    ...[`--replace-id=${receipt}`, '--', notice.title, 'over'],
  ]);
}

function run(
  env: Record<string, string>,
  signal: AbortSignal,
  program: string,
  words: string[],
): Promise<string> {
  const found = findProgram(program, env, '/');
  if (found === undefined)
    throw new SendingFailed(`${program} is not installed; on Debian: apt install libnotify-bin`);
  return new Promise((resolve, reject) => {
    const options = { env, signal, timeout: PATIENCE_MS, killSignal: 'SIGKILL' as const, cwd: '/' };
    execFile(found, words, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const why = error.killed ? `did not end within ${PATIENCE_MS / 1000} s` : stderr.trim() || 'failed';
      reject(new SendingFailed(`${program}: ${why.split('\n')[0]}`));
    });
  });
}

export const DESKTOP: Sender<'desktop'> = {
  send: async (sending) => show(sending),
  takeBack: async (sending) => close(sending),
  async check({ env }) {
    const program = findProgram(PROGRAM, env, '/');
    if (!program)
      throw new SendingFailed(`${PROGRAM} is not installed; on Debian: apt install libnotify-bin`);
    if (!env['DBUS_SESSION_BUS_ADDRESS'] && !env['XDG_RUNTIME_DIR'])
      throw new SendingFailed(
        'there was no desktop session where it was added; add it again from the desktop',
      );
    return program;
  },
};
