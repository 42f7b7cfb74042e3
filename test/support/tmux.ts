import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { onTestFinished } from 'vitest';
import {
  identifyProcess,
  isProcessAlive,
  type ProcessIdentity,
  signalProcess,
} from '../../src/base/index.ts';
import { type PasteOptions, Tmux, tmuxProblemOf } from '../../src/tmux/index.ts';

export interface PrivateTmux {
  tmux: Tmux;
  socketPath: string;
  /** This test's own directory; removed afterwards. */
  dir: string;
}

export interface PrivateTmuxOptions {
  /** The server's configuration file. Default: none. */
  config?: string;
  env?: NodeJS.ProcessEnv;
}

/** A shell that reads no start files, so every machine shows the same prompt. */
export const PLAIN_SHELL = ['env', 'PS1=$ ', 'ENV=', 'sh', '-i'];

/**
 * Gives a test its own tmux server, started by the test's first session. Afterwards the server and everything
 * in its panes must be gone: what is left is ended by its own id, and the test fails. This also cleans up after a
 * test that ran out of time.
 */
export async function withTmux<T>(
  test: (context: PrivateTmux) => Promise<T>,
  options: PrivateTmuxOptions = {},
): Promise<T> {
  const context = prepare(options);
  let cleaning: Promise<string[]> | undefined;
  const cleanUp = (): Promise<string[]> => (cleaning ??= end(context));
  onTestFinished(async () => void (await cleanUp()));
  const outcome = await test(context).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const left = await cleanUp();
  if ('error' in outcome) throw outcome.error;
  if (left.length > 0) throw new Error(`processes outlived the tmux server: ${left.join(', ')}`);
  return outcome.value;
}

function prepare(options: PrivateTmuxOptions): PrivateTmux {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-tmux-'));
  const socketPath = path.join(dir, 'socket');
  const configFile = path.join(dir, 'tmux.conf');
  fs.writeFileSync(configFile, options.config ?? '');
  const env = options.env ?? { ...process.env, SHELL: '/bin/sh', ENV: '', PS1: '$ ' };
  return { tmux: new Tmux({ socketPath, configFile, env }), socketPath, dir };
}

async function end({ tmux, dir }: PrivateTmux): Promise<string[]> {
  const left = await endServer(tmux);
  fs.rmSync(dir, { recursive: true, force: true });
  return left;
}

/** Ends the server, waits until it and its panes have ended, and returns what had to be killed. */
export async function endServer(tmux: Tmux): Promise<string[]> {
  const processes = await processesOf(tmux);
  await tmux.run([['kill-server']]).catch((error: unknown) => {
    if (tmuxProblemOf(error) !== 'no_server') throw error;
  });
  const deadline = performance.now() + 10_000;
  while (processes.some(isProcessAlive) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const left = processes.filter(isProcessAlive);
  for (const identity of left) signalProcess(identity, 'SIGKILL');
  return left.map(({ pid }) => String(pid));
}

async function processesOf(tmux: Tmux): Promise<ProcessIdentity[]> {
  try {
    const server = await tmux.run([['display-message', '-p', '#{pid}']]);
    const panes = await tmux.run([['list-panes', '-a', '-F', '#{pane_pid}']]).catch(() => '');
    const clients = await tmux.run([['list-clients', '-F', '#{client_pid}']]).catch(() => '');
    const pids = `${server}\n${panes}\n${clients}`.split('\n').filter((pid) => pid !== '');
    return pids.map((pid) => identifyProcess(Number(pid))).filter((identity) => identity !== undefined);
  } catch (error) {
    if (tmuxProblemOf(error) === 'no_server') return [];
    throw error;
  }
}

/** Both steps of a paste. A buffer that could not be pasted is deleted. */
export async function pastePane(
  tmux: Tmux,
  pane: string,
  data: string | Buffer,
  options: PasteOptions = {},
): Promise<void> {
  const buffer = await tmux.loadBuffer(data, options);
  try {
    await tmux.pasteBuffer(pane, buffer, options);
  } catch (error) {
    await tmux.deleteBuffer(buffer);
    throw error;
  }
}

/** Waits for a signal of the channel. */
export async function waitFor(tmux: Tmux, channel: string, signal?: AbortSignal): Promise<void> {
  const options = { timeoutMs: Number.POSITIVE_INFINITY, ...(signal && { signal }) };
  await tmux.exec.run([['wait-for', '--', channel]], options);
}

export async function signalChannel(tmux: Tmux, channel: string): Promise<void> {
  await tmux.run([['wait-for', '-S', '--', channel]]);
}

/** The names of all sessions; none without a server. */
export async function sessionNames(tmux: Tmux): Promise<string[]> {
  const listed = await tmux.run([['list-sessions', '-F', '#{session_name}']]).catch(() => '');
  return listed.split('\n').filter(Boolean).sort();
}
