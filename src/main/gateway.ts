import { existsSync } from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import {
  accountUids,
  armCrashPoint,
  asRouseError,
  type Clock,
  hearListenerErrors,
  invalid,
  messageOf,
  shellQuote,
  shiftedClock,
  surviveGoneTerminal,
  systemClock,
} from '../base/index.ts';
import {
  COMMS_SKILL,
  HAND_OVER_SIGNAL,
  isHeadless,
  type MailSkill,
  PROCESS_SKILL,
  setLimits,
  TUI_TIMING_RULES,
} from '../domain/index.ts';
import {
  gatewayDoor,
  openServedSurface,
  portBefore,
  type RunningGateway,
  readSession,
  readWakeTemplate,
  type SessionFacts,
  saveHeadlessProgress,
  startGateway,
  type WakeTemplate,
  writeAttempt,
} from '../gateway/index.ts';
import { openMailbox } from '../mail/index.ts';
import { openHeadlessSurface, openSurface, readTimings } from '../terminal/index.ts';
import { loadOwnTools, skillsDirectory } from '../tools/index.ts';

const TIMING_FLAGS = Object.fromEntries(
  TUI_TIMING_RULES.map(({ processFlag }) => [processFlag, { type: 'string' as const }]),
);

/**
 * The gateway's program. `rouse agents gateway attach` starts it; what became of the start is written to
 * run/attempt.json, so that nobody has to read a log to learn it.
 */
const { values } = parseArgs({
  options: {
    'gateway-root': { type: 'string' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '0' },
    'allow-users': { type: 'string', default: '' },
    'attempt-id': { type: 'string', default: 'by-hand' },
    restarts: { type: 'string', default: '0' },
    ...TIMING_FLAGS,
  },
});

/** The session root or its gateway directory. */
function gatewayRoot(): string {
  const given = values['gateway-root'];
  if (!given) throw invalid('--gateway-root is required');
  const root = path.resolve(given);
  return path.basename(root) === 'gateway' ? root : path.join(root, 'gateway');
}

function window(): { id: string; index: string; paneId: string } | null {
  const { env } = process;
  if (env['HOUMAO_GATEWAY_EXECUTION_MODE'] !== 'tmux_auxiliary_window') return null;
  const id = env['HOUMAO_GATEWAY_TMUX_WINDOW_ID'];
  const index = env['HOUMAO_GATEWAY_TMUX_WINDOW_INDEX'];
  const paneId = env['HOUMAO_GATEWAY_TMUX_PANE_ID'];
  if (!id || !index || !paneId)
    throw invalid('a gateway in a tmux window needs its window id, index and pane id');
  if (index === '0') throw invalid('window 0 is the agent; a gateway never runs there');
  return { id, index, paneId };
}

const PACKAGE = path.join(import.meta.dirname, '..');

function wakeTemplate(): WakeTemplate {
  const home = process.env['ROUSE_HOME'] ?? path.join(os.homedir(), '.rouse');
  const name = path.join('prompts', 'mail-notifier.md');
  return readWakeTemplate(path.join(home, name), path.join(PACKAGE, 'assets', name));
}

/** For an agent that reaches its mail by commands: this installation's program, wherever the tool's PATH leads. */
function mailCommand({ manifest, tmuxSessionName }: SessionFacts): (words: string) => string {
  const { agent_name: name, agent_id: id } = manifest;
  const agent = name
    ? `--agent-name ${shellQuote(name)}`
    : id
      ? `--agent-id ${shellQuote(id)}`
      : `--target-tmux-session ${shellQuote(tmuxSessionName)}`;
  const program = shellQuote(path.join(PACKAGE, 'bin', 'rouse'));
  return (words) => `${program} agents mail ${words} ${agent}`;
}

/** Which of our skills stand in the tool's home now; somebody may install them while it runs. */
function installedSkills({ tool, launch_plan: plan }: SessionFacts['manifest']): {
  process: boolean;
  comms: boolean;
} {
  const directory = skillsDirectory(tool, {
    home: plan.home_selector?.home_path ?? undefined,
    env: process.env,
  });
  const has = (skill: MailSkill): boolean =>
    directory !== undefined && existsSync(path.join(directory, skill, 'SKILL.md'));
  return { process: has(PROCESS_SKILL), comms: has(COMMS_SKILL) };
}

/** The wall clock of a gateway under proof is set by a file. */
function gatewayClock(): Clock {
  const shift = process.env['ROUSE_CLOCK_SHIFT_FILE'];
  return shift ? shiftedClock(shift) : systemClock;
}

function startIn(root: string, restarts: number): Promise<RunningGateway> {
  const session = readSession(path.dirname(root));
  const { host } = values;
  const clock = gatewayClock();
  const manifestNow = (): SessionFacts['manifest'] => readSession(session.sessionRoot).manifest;
  return startGateway({
    gatewayRoot: root,
    session,
    host,
    port: (restarts > 0 && portBefore(root)) || Number(values.port),
    restarts,
    executionMode: window() ? 'tmux_auxiliary_window' : 'detached_process',
    window: window(),
    timings: readTimings(values),
    ...gatewayDoor(root, { host, guests: new Set(accountUids(values['allow-users'])), env: process.env }),
    clock,
    show: (line) => void process.stdout.write(line),
    openSurface: (parts) => {
      const options = { ...parts, ...session, clock, timings: values };
      const served = openServedSurface(options);
      if (served) return served;
      return isHeadless(session.backend)
        ? openHeadlessSurface({
            ...options,
            manifestNow,
            saveHeadless: (progress) => saveHeadlessProgress(session.sessionRoot, progress),
          })
        : openSurface(options);
    },
    openMailbox: (binding) => openMailbox(binding, clock),
    mailboxBinding: () => manifestNow().launch_plan.mailbox,
    wakeTemplate,
    mailCommand: mailCommand(session),
    skills: () => installedSkills(manifestNow()),
  });
}

async function main(): Promise<void> {
  const restarts = Number(values.restarts);
  // A test's crash is one crash: whoever is started again after it runs on.
  surviveGoneTerminal();
  armCrashPoint(restarts === 0 ? process.env['ROUSE_CRASH_AT'] : undefined);
  setLimits(process.env);
  // The window is for people, the log file keeps what it shows; neither ends the gateway.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  hearListenerErrors((error) => void process.stderr.write(`gateway: ${messageOf(error)}\n`));
  const root = gatewayRoot();
  const attemptId = values['attempt-id'];
  try {
    await loadOwnTools(process.env['ROUSE_TOOLS']);
    const gateway = await startIn(root, restarts);
    const { instanceId, port } = gateway;
    writeAttempt(root, attemptId, { status: 'ready', instance_id: instanceId, port, pid: process.pid });
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => void gateway.stop(signal));
    }
    process.on(HAND_OVER_SIGNAL, () => void gateway.stop('restart', { handOver: true }));
    await gateway.stopped;
    process.exit(0);
  } catch (thrown) {
    const error = asRouseError(thrown);
    const code = typeof error.facts['cause'] === 'string' ? error.facts['cause'] : error.code;
    writeAttempt(root, attemptId, { status: 'failed', code, message: error.message });
    process.stderr.write(`gateway: ${error.message}\n`);
    process.exit(1);
  }
}

void main();
