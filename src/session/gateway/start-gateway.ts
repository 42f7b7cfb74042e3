import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  identifyChild,
  type ProcessIdentity,
  shellQuote,
  shellWords,
  unavailable,
  writeFileAtomic,
} from '../../base/index.ts';
import { ensureAgentToken } from '../../client/index.ts';
import {
  type ExecutionMode,
  relaunchCommand,
  TUI_TIMING_RULES,
  type TuiTimings,
} from '../../domain/index.ts';
import { handedEnvironment, NEVER_IN_A_PANE, writeEnvironmentFile } from '../equip/handed-environment.ts';
import { keeperScript, keeperScriptFile, keepingOf } from '../equip/keeper-script.ts';
import { programWords } from '../equip/program-path.ts';
import { startInHost } from '../host/start-host.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { type SessionPaths, sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { tmuxOf } from '../session-tmux.ts';

export interface GatewayStart {
  attemptId: string;
  host: string;
  /** 0 asks the system for a free one. */
  port: number;
  mode: ExecutionMode;
  timings: TuiTimings;
  /** Uids of accounts that may connect with a token. */
  guests: readonly number[];
}

export interface StartedGateway {
  /** Of the keeper, or of the gateway itself where it has none. */
  identity: ProcessIdentity;
  /** The window made for it, in the foreground mode. */
  windowId: string | undefined;
  /** Then the identity is that of the host, which is nobody's to end. */
  hosted: boolean;
}

/** Starts the gateway program and returns at once; how it fares is told by run/attempt.json. */
export async function startGateway(
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

/** The words that start the gateway's keeper; those of the gateway itself where nobody is to start it again. */
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

/** The caller's environment, for headless turns run under the gateway; never as arguments. */
function gatewayEnvironment(context: SessionContext, start: GatewayStart): Record<string, string> {
  const env = handedEnvironment(context.env);
  env['HOUMAO_GATEWAY_EXECUTION_MODE'] = start.mode;
  return env;
}

/** A session of its own, so that it survives the terminal it was started from. */
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
 * A window beside the agent's. Its first command asks tmux where it runs, takes the environment from a file only
 * its owner can read, and becomes the gateway's keeper; so the pane's process lives as long as the gateway is kept.
 */
async function startInWindow(
  context: SessionContext,
  facts: ManifestFacts,
  words: string[],
  env: Record<string, string>,
): Promise<StartedGateway> {
  const paths = sessionPaths(facts.root);
  const tmux = tmuxOf(context, facts);
  if (!(await tmux.agentPane(facts.tmuxSessionName, facts.agentPane))) {
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
export HOUMAO_GATEWAY_TMUX_WINDOW_ID="$1" HOUMAO_GATEWAY_TMUX_WINDOW_INDEX="$2" HOUMAO_GATEWAY_TMUX_PANE_ID="$TMUX_PANE"
exec ${shellWords(words)} 2>>${shellQuote(errors)}
`;
}
