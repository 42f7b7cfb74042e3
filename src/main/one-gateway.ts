import { existsSync } from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import {
  accountUids,
  asRouseError,
  type Clock,
  invalid,
  shellQuote,
  shiftedClock,
  systemClock,
} from '../base/index.ts';
import { fleetMail, type HostIdentity, thisHost } from '../client/index.ts';
import {
  EXECUTION_MODES,
  isCodeOf,
  isHeadless,
  type MailSkill,
  setLimits,
  TUI_TIMING_RULES,
  type WakeText,
} from '../domain/index.ts';
import { requireHosting } from '../fleet/find-hosting.ts';
import {
  agentTools,
  gatewayDoor,
  portBefore,
  type RunningGateway,
  readSession,
  readWakeTemplate,
  type SessionFacts,
  saveHeadlessProgress,
  servingServer,
  sessionReader,
  startGateway,
  type WakeTemplate,
  writeAttempt,
} from '../gateway/index.ts';
import { filesBelow, openMailbox, privateDirectories } from '../mail/index.ts';
import { namesByAddress } from '../session/index.ts';
import { openHeadlessSurface, openSurface, readTimings, startedPids } from '../terminal/index.ts';
import { loadOwnTools, skillsDirectory } from '../tools/index.ts';
import { COMMS_SKILL, PROCESS_SKILL, VARIABLE } from '../wire/houmao/index.ts';
import { recipientAddress } from './recipient-address.ts';

const TIMING_FLAGS = Object.fromEntries(
  TUI_TIMING_RULES.map(({ processFlag }) => [processFlag, { type: 'string' as const }]),
);

/** The arguments of a gateway, in a process of its own or inside a host. */
export function gatewayWords(words: readonly string[]) {
  return parseArgs({
    args: [...words],
    options: {
      'gateway-root': { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '0' },
      'allow-users': { type: 'string', default: '' },
      'attempt-id': { type: 'string', default: 'by-hand' },
      restarts: { type: 'string', default: '0' },
      ...TIMING_FLAGS,
    },
  }).values;
}

/** Where a gateway runs. */
export interface Surroundings {
  /** Where this package is installed. */
  installation: string;
  env: NodeJS.ProcessEnv;
  hosted: boolean;
  /** How often it was started again after it had ended by itself. */
  restarts: number;
  show?: (line: string) => void;
}

type Words = ReturnType<typeof gatewayWords>;

/** Starts it, and writes the result to run/attempt.json. */
export async function startOne(words: Words, surroundings: Surroundings): Promise<RunningGateway> {
  const root = gatewayRoot(words);
  const attemptId = words['attempt-id'];
  try {
    setLimits(surroundings.env);
    await loadOwnTools(surroundings.env['ROUSE_TOOLS']);
    const gateway = await startIn(root, words, surroundings);
    const { instanceId, port } = gateway;
    writeAttempt(root, attemptId, { status: 'ready', instance_id: instanceId, port, pid: process.pid });
    return gateway;
  } catch (thrown) {
    const error = asRouseError(thrown);
    const code = typeof error.facts['cause'] === 'string' ? error.facts['cause'] : error.code;
    writeAttempt(root, attemptId, { status: 'failed', code, message: error.message });
    throw error;
  }
}

/** The session root or its gateway directory. */
function gatewayRoot(words: Words): string {
  const given = words['gateway-root'];
  if (!given) throw invalid('--gateway-root is required');
  const root = path.resolve(given);
  return path.basename(root) === 'gateway' ? root : path.join(root, 'gateway');
}

function windowOf({ env, hosted }: Surroundings): { id: string; index: string; paneId: string } | null {
  const mode = env[VARIABLE.executionMode];
  if (hosted || !isCodeOf(EXECUTION_MODES, mode) || !EXECUTION_MODES[mode].window) return null;
  const id = env[VARIABLE.windowId];
  const index = env[VARIABLE.windowIndex];
  const paneId = env[VARIABLE.paneId];
  if (!id || !index || !paneId)
    throw invalid('a gateway in a tmux window needs its window id, index and pane id');
  if (index === '0') throw invalid('window 0 is the agent; a gateway never runs there');
  return { id, index, paneId };
}

const homeOf = (env: NodeJS.ProcessEnv): string =>
  env['ROUSE_HOME'] ?? path.join(env['HOME'] || os.homedir(), '.rouse');

const TEMPLATES: Record<WakeText, string> = {
  full: path.join('prompts', 'mail-notifier.md'),
  short: path.join('prompts', 'mail-notifier-short.md'),
};

function wakeTemplate(text: WakeText, { env, installation }: Surroundings): WakeTemplate {
  const name = TEMPLATES[text];
  return readWakeTemplate(path.join(homeOf(env), name), path.join(installation, 'assets', name));
}

/** For an agent that handles its mail with commands: the full path of this program, whatever the tool's PATH is. */
function mailCommand(
  { manifest, tmuxSessionName }: SessionFacts,
  installation: string,
): (words: string) => string {
  const { agent_name: name, agent_id: id } = manifest;
  const agent = name
    ? `--agent-name ${shellQuote(name)}`
    : id
      ? `--agent-id ${shellQuote(id)}`
      : `--target-tmux-session ${shellQuote(tmuxSessionName)}`;
  const program = shellQuote(path.join(installation, 'bin', 'rouse'));
  return (words) => `${program} agents mail ${words} ${agent}`;
}

/** Which of our skills are in the tool's home now; they may be installed while the gateway runs. */
function installedSkills(
  { tool, launch_plan: plan }: SessionFacts['manifest'],
  env: NodeJS.ProcessEnv,
): { process: boolean; comms: boolean } {
  const directory = skillsDirectory(tool, { home: plan.home_selector?.home_path ?? undefined, env });
  const has = (skill: MailSkill): boolean =>
    directory !== undefined && existsSync(path.join(directory, skill, 'SKILL.md'));
  return { process: has(PROCESS_SKILL), comms: has(COMMS_SKILL) };
}

/** Proofs set the wall clock of a process with a file. */
export function processClock(): Clock {
  const shift = process.env['ROUSE_CLOCK_SHIFT_FILE'];
  return shift ? shiftedClock(shift) : systemClock;
}

/** Undefined if the host cannot be identified; neither fleet nor agent depends on it. */
function hostOf(env: NodeJS.ProcessEnv): HostIdentity | undefined {
  try {
    return thisHost(env);
  } catch {
    return undefined;
  }
}

function startIn(root: string, words: Words, surroundings: Surroundings): Promise<RunningGateway> {
  const { env, hosted, restarts, show } = surroundings;
  const session = readSession(path.dirname(root));
  const { host } = words;
  const clock = processClock();
  const sessionNow = sessionReader(session.sessionRoot);
  const manifestNow = (): SessionFacts['manifest'] => sessionNow().manifest;
  const window = windowOf(surroundings);
  return startGateway({
    gatewayRoot: root,
    session,
    fleetHost: hostOf(env),
    host,
    port: (restarts > 0 && portBefore(root)) || Number(words.port),
    restarts,
    executionMode: hosted ? 'hosted' : window ? 'tmux_auxiliary_window' : 'detached_process',
    window,
    timings: readTimings(words),
    ...gatewayDoor(root, { host, guests: new Set(accountUids(words['allow-users'])), env }),
    clock,
    ...(show && { show }),
    openSurface: (parts) => {
      const limitsDirectory = path.join(homeOf(env), 'limits');
      const options = { ...parts, ...session, clock, timings: words, env, limitsDirectory };
      const server = servingServer(session.manifest);
      if (server) return requireHosting().openSurface({ ...options, server });
      return isHeadless(session.backend)
        ? openHeadlessSurface({
            ...options,
            manifestNow,
            saveHeadless: (progress) => saveHeadlessProgress(session.sessionRoot, progress),
          })
        : openSurface(options);
    },
    openMailbox: (binding) => openMailbox(binding, { clock, connectFleet: fleetMail }),
    mailboxBinding: () => manifestNow().launch_plan.mailbox,
    wakeTemplate: (text) => wakeTemplate(text, surroundings),
    registeredNames: () => namesByAddress(env[VARIABLE.registryDir] || path.join(homeOf(env), 'registry')),
    recipientAddress: (to) =>
      recipientAddress(to, { env, clock, home: homeOf(env), sessionRoot: session.sessionRoot }),
    mailCommand: mailCommand(session, surroundings.installation),
    agentTools: (baseUrl, instanceId) => {
      const manifest = manifestNow();
      const launched = startedPids(session.sessionRoot, manifest.runtime?.agent_pid);
      return agentTools(manifest, { baseUrl, instanceId, launched });
    },
    sharedFiles: () =>
      filesBelow(manifestNow().working_directory, privateDirectories(env, session.sessionRoot)),
    skills: () => installedSkills(manifestNow(), env),
  });
}
