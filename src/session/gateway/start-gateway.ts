import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  conflict,
  crashPoint,
  identifyChild,
  isProcessAlive,
  isRouseError,
  newUuid,
  type ProcessIdentity,
  type RouseError,
  readIfExists,
  shellQuote,
  shellWords,
  unavailable,
  writeFileAtomic,
} from '../../base/index.ts';
import { ensureAgentToken } from '../../client/index.ts';
import {
  ANY_PORT,
  type ExecutionMode,
  HAND_OVER_SIGNAL,
  relaunchCommand,
  TUI_TIMING_RULES,
  type TuiTimings,
} from '../../domain/index.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';
import { keeperScript, keeperScriptFile, keepingOf } from '../equip/keeper-script.ts';
import { handedEnvironment, NEVER_IN_A_PANE, programWords, writeEnvironmentFile } from '../equip/programs.ts';
import { probeGateway, type RecordedGateway } from '../records/live-gateway.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { readToken, type SessionPaths, sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { tmuxOf } from '../session-tmux.ts';
import type { AttachPlan } from './attach-plan.ts';
import { endStarted, forgetStarting, noteStarting } from './detach.ts';
import { startInHost } from './gateway-host.ts';
import { restoreOffline } from './publish.ts';

const READY_TIMEOUT_MS = 10_000;

/** Starts on the planned port. A remembered port that is in use is replaced by a free one; a requested port is not. */
export async function startOnFreePort(
  context: SessionContext,
  facts: ManifestFacts,
  plan: AttachPlan,
): Promise<RecordedGateway> {
  const { listener } = plan;
  try {
    return await startAndProve(context, facts, plan, listener.port);
  } catch (error) {
    const busy = isRouseError(error) && error.facts['cause'] === 'port_in_use';
    if (!busy || listener.portIsHard || listener.port === ANY_PORT) throw error;
    return startAndProve(context, facts, plan, ANY_PORT);
  }
}

/** Starts on exactly this port. */
export async function startAndProve(
  context: SessionContext,
  facts: ManifestFacts,
  plan: AttachPlan,
  port: number,
): Promise<RecordedGateway> {
  const { mode, timings, guests, listener } = plan;
  const start: GatewayStart = { attemptId: newUuid(), host: listener.host, port, mode, timings, guests };
  context.progress?.('starting the gateway');
  crashPoint('session.attach.before_start');
  const started = await startGateway(context, facts, start);
  const paths = sessionPaths(facts.root);
  if (!started.hosted) noteStarting(paths, started.identity);
  crashPoint('session.attach.started');
  try {
    const outcome = await waitForAttempt(context, paths, start.attemptId, started.identity, READY_TIMEOUT_MS);
    const isOthers = outcome.outcome === 'failed' && outcome.code === 'locked';
    if (outcome.outcome !== 'ready' && !isOthers) throw failure(facts, outcome, start);
    if (isOthers) await endStarted(paths, started, context.clock);
    return await provenGateway(context, facts, outcome);
  } catch (error) {
    await undoStart(context, facts, started);
    throw error;
  } finally {
    forgetStarting(paths);
  }
}

/**
 * The gateway is trusted once it responds with the instance id that it recorded. If another one held the lock because its
 * attach was killed half-way, that one is awaited instead.
 */
async function provenGateway(
  context: SessionContext,
  facts: ManifestFacts,
  attempt: AttemptOutcome,
): Promise<RecordedGateway> {
  const paths = sessionPaths(facts.root);
  const deadline = context.clock.monotonic() + READY_TIMEOUT_MS;
  let last = 'it recorded no instance';
  do {
    const life = await probeGateway(paths, readToken(paths, context.env));
    if (
      life.life === 'live' &&
      (attempt.outcome !== 'ready' || life.gateway.instanceId === attempt.instanceId)
    ) {
      return life.gateway;
    }
    if (life.life !== 'none' && life.life !== 'live') last = life.reason;
    await new Promise<void>((resolve) => context.clock.after(50, resolve));
  } while (context.clock.monotonic() < deadline && !context.signal?.aborted);
  throw unavailable(`the gateway started but did not become healthy: ${last}`, {
    hint: `see ${paths.log}`,
    facts: { cause: 'health_timeout', last_probe: last },
  });
}

/** Ends only what this attempt started, and restores the offline state unless another gateway is live. */
async function undoStart(
  context: SessionContext,
  facts: ManifestFacts,
  started: StartedGateway,
): Promise<void> {
  const paths = sessionPaths(facts.root);
  await endStarted(paths, started, context.clock, { ask: HAND_OVER_SIGNAL });
  if (started.windowId !== undefined) {
    await tmuxOf(context, facts).killWindow(facts.tmuxSessionName, started.windowId);
  }
  const life = await probeGateway(paths, readToken(paths, context.env));
  if (life.life === 'none' || life.life === 'dead') await restoreOffline(context, facts);
}

function failure(facts: ManifestFacts, attempt: AttemptOutcome, start: GatewayStart): RouseError {
  const log = sessionPaths(facts.root).log;
  if (attempt.outcome === 'failed' && attempt.code === 'port_in_use') {
    return conflict(`port ${start.port} on ${start.host} is already in use`, {
      hint: 'choose another with --gateway-port, or stop the program that listens there',
      facts: { cause: 'port_in_use', gateway_host: start.host, gateway_port: start.port },
    });
  }
  if (attempt.outcome === 'failed') {
    return unavailable(`the gateway did not start: ${attempt.message}`, {
      hint: `see ${log}`,
      facts: { cause: attempt.code },
    });
  }
  const words = (readIfExists(sessionPaths(facts.root).errors) ?? '').trim().split('\n').slice(-5).join('\n');
  if (attempt.outcome === 'ended') {
    return unavailable(`the gateway ended before it was ready${words ? `: ${words}` : ''}`, {
      hint: `see ${log}`,
      facts: { cause: 'ended_early' },
    });
  }
  return unavailable(`the gateway did not report within ${READY_TIMEOUT_MS / 1000} s`, {
    hint: `see ${log}`,
    facts: { cause: 'start_timeout' },
  });
}

interface GatewayStart {
  attemptId: string;
  host: string;
  /** 0 lets the system choose a free one. */
  port: number;
  mode: ExecutionMode;
  timings: TuiTimings;
  /** Uids of accounts that may connect with a token. */
  guests: readonly number[];
}

interface StartedGateway {
  /** Of the keeper, or of the gateway itself if it has none. */
  identity: ProcessIdentity;
  /** The window made for it in the foreground mode. */
  windowId: string | undefined;
  /** The identity is then that of the host, which must not be ended. */
  hosted: boolean;
}

/** Starts the gateway program and returns at once; run/attempt.json reports how the start ended. */
async function startGateway(
  context: SessionContext,
  facts: ManifestFacts,
  start: GatewayStart,
): Promise<StartedGateway> {
  ensureAgentToken(facts.root);
  const flags = gatewayFlags(facts, start);
  const env = gatewayEnvironment(context, start);
  if (start.mode === 'hosted') {
    const root = sessionPaths(facts.root).gateway;
    const identity = await startInHost(context, { root, words: flags, env });
    return { identity, windowId: undefined, hosted: true };
  }
  const words = [...(context.gatewayProgram ?? programWords('gateway')), ...flags];
  const kept = keptBy(context, sessionPaths(facts.root), words);
  return start.mode === 'detached_process'
    ? startDetached(facts, kept, env)
    : startInWindow(context, facts, kept, env);
}

/** The command of the gateway's keeper, or of the gateway itself if it is not to be restarted. */
function keptBy(context: SessionContext, paths: SessionPaths, words: string[]): string[] {
  const keeping = keepingOf(context.env);
  fs.rmSync(paths.keeper, { force: true });
  if (keeping.restarts === 0) return words;
  const script = keeperScriptFile(paths);
  writeFileAtomic(script, keeperScript(paths, words, keeping), { mode: 0o700, durable: false });
  return ['/bin/sh', script];
}

function gatewayFlags(facts: ManifestFacts, start: GatewayStart): string[] {
  return [
    ...['--gateway-root', sessionPaths(facts.root).gateway],
    ...['--host', start.host, '--port', String(start.port), '--attempt-id', start.attemptId],
    ...(start.guests.length > 0 ? ['--allow-users', start.guests.join(',')] : []),
    ...TUI_TIMING_RULES.flatMap(({ field, processFlag }) => [
      `--${processFlag}`,
      String(start.timings[field]),
    ]),
  ];
}

/** The caller's environment, for headless turns that the gateway runs. Never passed as arguments. */
function gatewayEnvironment(context: SessionContext, start: GatewayStart): Record<string, string> {
  const env = handedEnvironment(context.env);
  env[VARIABLE.executionMode] = start.mode;
  return env;
}

/** Starts it in a process session of its own, so that it outlives the terminal. */
async function startDetached(
  facts: ManifestFacts,
  words: string[],
  env: Record<string, string>,
): Promise<StartedGateway> {
  const errors = fs.openSync(sessionPaths(facts.root).errors, 'w', 0o600);
  try {
    const child = spawn(words[0]!, words.slice(1), {
      cwd: facts.root,
      detached: true,
      env,
      stdio: ['ignore', 'ignore', errors],
    });
    const failed = new Promise<never>((_, reject) => child.once('error', reject));
    failed.catch(() => {});
    const spawned = new Promise<void>((resolve) => child.once('spawn', resolve));
    await Promise.race([spawned, failed]);
    child.unref();
    return { identity: identifyChild(child.pid!), windowId: undefined, hosted: false };
  } catch (error) {
    throw unavailable('the gateway program cannot be started', {
      cause: error,
      facts: { cause: 'spawn_failed' },
    });
  } finally {
    fs.closeSync(errors);
  }
}

/**
 * Starts it in a window beside the agent's. The first command asks tmux where it runs, reads the environment from a file
 * that only its owner can read, and becomes the gateway's keeper. So the pane's process lives as long as the keeper.
 */
async function startInWindow(
  context: SessionContext,
  facts: ManifestFacts,
  words: string[],
  env: Record<string, string>,
): Promise<StartedGateway> {
  const paths = sessionPaths(facts.root);
  const tmux = tmuxOf(context, facts);
  if (!(await tmux.paneOf(facts))) {
    throw unavailable(`tmux session "${facts.tmuxSessionName}" has no window of the agent any more`, {
      hint: `the agent is gone; "${relaunchCommand(facts.agentName)}" brings it back`,
      facts: { cause: 'agent_window_missing' },
    });
  }
  const envFile = path.join(paths.run, 'env');
  const script = path.join(paths.run, 'window.sh');
  writeEnvironmentFile(envFile, env);
  writeFileAtomic(paths.errors, '', { durable: false });
  writeFileAtomic(script, windowScript(envFile, paths.errors, words), { mode: 0o700, durable: false });
  const pane = await tmux.newWindow({
    session: facts.tmuxSessionName,
    name: 'gateway',
    directory: facts.workingDirectory,
    command: ['/bin/sh', script],
  });
  return { identity: identifyChild(pane.pid), windowId: pane.windowId, hosted: false };
}

function windowScript(envFile: string, errors: string, words: string[]): string {
  return `#!/bin/sh
unset ${shellWords(NEVER_IN_A_PANE)}
. ${shellQuote(envFile)}
command -p rm -f ${shellQuote(envFile)}
set -- $(tmux display-message -p -t "$TMUX_PANE" '#{window_id} #{window_index}')
export ${VARIABLE.windowId}="$1" ${VARIABLE.windowIndex}="$2" ${VARIABLE.paneId}="$TMUX_PANE"
exec ${shellWords(words)} 2>>${shellQuote(errors)}
`;
}

/** How a start ended: as run/attempt.json reports, or by the end of the process, or by a timeout. */
type AttemptOutcome =
  | { outcome: 'ready'; instanceId: string | undefined; port: number | undefined }
  | { outcome: 'failed'; code: string; message: string }
  | { outcome: 'ended' }
  | { outcome: 'timeout' };

/**
 * Waits for the report of exactly this attempt; a file of an earlier one has another id. Watches the directory and also
 * the process, because one that dies early writes no report.
 */
function waitForAttempt(
  context: SessionContext,
  paths: SessionPaths,
  attemptId: string,
  process: ProcessIdentity,
  timeoutMs: number,
): Promise<AttemptOutcome> {
  return new Promise((resolve) => {
    const { clock } = context;
    const deadline = clock.monotonic() + timeoutMs;
    let cancel: (() => void) | undefined;
    const watcher = fs.watch(paths.run, () => look());
    watcher.on('error', () => {}); // The directory may vanish with its session; `look` then ends the wait.
    const done = (outcome: AttemptOutcome): void => {
      watcher.close();
      cancel?.();
      resolve(outcome);
    };
    const look = (): void => {
      cancel?.();
      const alive = isProcessAlive(process);
      const report = readAttempt(paths, attemptId);
      if (report) done(report);
      else if (!alive) done({ outcome: 'ended' });
      else if (clock.monotonic() >= deadline || context.signal?.aborted) done({ outcome: 'timeout' });
      else cancel = clock.after(50, look);
    };
    look();
  });
}

function readAttempt(paths: SessionPaths, attemptId: string): AttemptOutcome | undefined {
  let report: Record<string, unknown>;
  try {
    report = JSON.parse(readIfExists(paths.attempt) ?? 'null') as Record<string, unknown>;
  } catch {
    return undefined;
  }
  if (report?.['attempt_id'] !== attemptId) return undefined;
  if (report['status'] === 'ready') {
    const { instance_id: id, port } = report;
    return {
      outcome: 'ready',
      instanceId: typeof id === 'string' ? id : undefined,
      port: typeof port === 'number' ? port : undefined,
    };
  }
  const { code, message } = report;
  return {
    outcome: 'failed',
    code: typeof code === 'string' ? code : 'unknown',
    message: typeof message === 'string' ? message : 'no reason given',
  };
}
