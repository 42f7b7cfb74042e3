import { pausedWords } from '../../domain/index.ts';
import type { AttachOptions, AttachReport, GatewayChange, GatewayReport } from '../../session/index.ts';
import { type Command, command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import notifier from '../gateway/mail-notifier.ts';
import { PROMPT, SEND_KEYS } from '../gateway/prompt.ts';
import reconcile from '../gateway/reconcile.ts';
import reminders from '../gateway/reminders.ts';
import requests, { INTERRUPT } from '../gateway/requests.ts';
import tui from '../gateway/tui.ts';
import { dayAndTime } from '../print/local-time.ts';
import { keyValues } from '../print/table.ts';
import { attachOptions, HOSTED, LISTENER_FLAGS, TIMING_FLAGS } from './flags/attach.ts';
import { severalAgents } from './several-agents.ts';
import { GATEWAY_TARGET_FLAGS, sessionContext, type TargetInput, targetOf } from './target.ts';

const STATUS_LINES = [
  'attach_identity',
  'backend',
  'gateway_health',
  'gateway_host',
  'gateway_port',
  'managed_agent_connectivity',
  'request_admission',
  'execution_mode',
  'gateway_tmux_window_index',
  'active_execution',
  'queue_depth',
] as const;

/** Fields that are shown only when their value is not one of the usual ones. */
const UNUSUAL: readonly [name: keyof GatewayReport['status'], usual: readonly unknown[]][] = [
  ['managed_agent_recovery', ['idle']],
  ['terminal_surface_eligibility', ['ready']],
  ['managed_agent_instance_epoch', [0, 1]],
  ['active_source', [null]],
];

function unusual(status: GatewayReport['status']): Record<string, unknown> {
  if (status.gateway_health !== 'healthy') return {};
  const shown = UNUSUAL.filter(
    ([name, usual]) => status[name] !== undefined && !usual.includes(status[name]),
  );
  const { troubles = [] } = status;
  return {
    ...Object.fromEntries(shown.map(([name]) => [name, status[name]])),
    ...Object.fromEntries(
      troubles.map(({ loop, message, failures, since_utc }) => [
        `trouble in ${loop}`,
        `${message} (${failures} times since ${dayAndTime(since_utc)}; being retried)`,
      ]),
    ),
  };
}

function standingLines({ standing }: GatewayReport['status']): Record<string, unknown> {
  if (!standing) return {};
  const { words, needs_you, paused } = standing;
  return {
    agent: words,
    ...(needs_you && { 'needs you': needs_you }),
    ...(paused && { paused: pausedWords(paused, dayAndTime) }),
  };
}

/** The status for people, followed by notes about what was repaired on the way. */
export function showStatus(heading: string, { status, notes }: GatewayReport): string {
  const { fleet, cao } = status;
  const values = {
    ...Object.fromEntries(STATUS_LINES.map((name) => [name, status[name]])),
    ...standingLines(status),
    ...unusual(status),
    ...(cao && {
      cao: `${cao.state}${cao.detail ? `: ${cao.detail}` : ''} (${cao.base_url}, ${cao.terminal_id})`,
    }),
    ...(fleet && { fleet: `${fleet.state}${fleet.detail ? `: ${fleet.detail}` : ''} (${fleet.url})` }),
  };
  return [heading, keyValues(values), ...notes.map((note) => `note: ${note}`)].join('\n');
}

function runAttach(input: InputOf<typeof ATTACH_FLAGS>): Promise<Output> {
  const { freshQueue } = input.flags;
  return attachWith(input, { ...attachOptions(input.flags, input.flags), ...(freshQueue && { freshQueue }) });
}

export async function attachWith(input: TargetInput, options: AttachOptions): Promise<Output> {
  const target = await targetOf(input);
  const { attach, changesInWords, sessionPaths } = await import('../../session/index.ts');
  const report = await attach(sessionContext(input), target, options);
  const [heading, detail] = headingOf(report, changesInWords);
  const root = target.facts ? sessionPaths(target.facts.root).gateway : null;
  return {
    data: {
      ...report.status,
      ...{ status: 'ok', action: 'gateway_attach', detail, gateway_root: root },
      ...{ already_attached: report.alreadyAttached, restarted: report.restarted, notes: report.notes },
    },
    plain: showStatus(heading, { ...report, notes: report.notes.filter((note) => note !== detail) }),
  };
}

function headingOf(
  { alreadyAttached, restarted }: AttachReport,
  inWords: (changes: readonly GatewayChange[]) => string,
): [heading: string, detail: string] {
  if (restarted.length > 0) {
    const changes = `restarted: ${inWords(restarted)}`;
    return [`Gateway (${changes})`, changes];
  }
  return alreadyAttached
    ? ['Gateway (attached already)', 'a gateway was attached already']
    : ['Gateway attached', 'the gateway is attached'];
}

export async function runStatus(input: TargetInput): Promise<Output> {
  const { gatewayStatus } = await import('../../session/index.ts');
  const report = await gatewayStatus(sessionContext(input), await targetOf(input));
  return { data: report.status, plain: showStatus('Gateway status', report) };
}

export async function runDetach(input: TargetInput): Promise<Output> {
  const target = await targetOf(input);
  const { detach, sessionPaths } = await import('../../session/index.ts');
  const { status, detail, ended } = await detach(sessionContext(input), target);
  const root = target.facts ? sessionPaths(target.facts.root).gateway : null;
  return {
    data: { ...status, status: 'ok', action: 'gateway_detach', detail, ended_by: ended, gateway_root: root },
    plain: `Gateway detached: ${detail}.`,
  };
}

const ATTACH_FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  { name: 'foreground', summary: 'run it in a tmux window beside the agent (default the first time)' },
  { name: 'background', summary: 'run it as a detached process' },
  HOSTED,
  {
    name: 'fresh-queue',
    summary:
      'replace a queue file that is missing, empty or unreadable; the old file is kept aside, wake settings stay',
  },
  ...LISTENER_FLAGS,
  ...TIMING_FLAGS,
] as const satisfies readonly Flag[];

export const ATTACH = severalAgents(
  command({
    name: 'attach',
    summary: 'start a gateway beside the agent',
    description:
      'Starts the gateway in a window beside the agent (--foreground), as a process of its own (--background) or in the ' +
      'process that all hosted gateways share (--hosted); without any of these, as it ran last time. A gateway that already runs as asked is left alone; to apply another mode or ' +
      'timing it is restarted at the same address, with its queue, notifier and live reminders. A port that you name ' +
      'must be free; one that the system chose last time is tried first, and replaced if it is busy.',
    examples: [
      'rouse agents gateway attach --agent-name gpu',
      'rouse agents gateway attach --agent-name gpu --background --gateway-port 4711',
    ],
    flags: ATTACH_FLAGS,
    run: runAttach,
  }),
);

export const DETACH = severalAgents(
  command({
    name: 'detach',
    summary: 'stop the gateway; the agent keeps running, and a gateway can be attached again',
    examples: ['rouse agents gateway detach --agent-name gpu'],
    flags: GATEWAY_TARGET_FLAGS,
    run: runDetach,
  }),
);

export const STATUS = severalAgents(
  command({
    ...FIRST_WORDS.status,
    examples: [
      'rouse agents gateway status --agent-name gpu',
      'rouse agents gateway status   # inside its session',
    ],
    flags: GATEWAY_TARGET_FLAGS,
    run: runStatus,
  }),
);

/** Commands that need a live gateway. */
const LIVE_GATEWAY_COMMANDS: Command[] = [
  PROMPT,
  INTERRUPT,
  SEND_KEYS,
  requests,
  reconcile,
  tui,
  notifier,
  reminders,
];

const gateway: Command = {
  name: 'gateway',
  summary: 'attach, inspect and detach the gateway of an agent; prompts, requests, reminders, wakes',
  subcommands: [ATTACH, STATUS, DETACH, ...LIVE_GATEWAY_COMMANDS],
};

export default gateway;
