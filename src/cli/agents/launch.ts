import * as path from 'node:path';
import { commandLine, findProgram, invalid } from '../../base/index.ts';
import { presetOf } from '../../config/index.ts';
import { isHeadless } from '../../domain/index.ts';
import type {
  AfterStop,
  BackAfterStop,
  LaunchOptions,
  LaunchReport,
  ManifestFacts,
} from '../../session/index.ts';
import { NAME_PREFIX } from '../../wire/houmao/index.ts';
import { command, type Flag, type FlagsOf, type Input, type InputOf, type Output } from '../command.ts';
import { noteUntrusted, withPreset } from '../config/preset.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { TAKE_OVER } from '../fleet/access.ts';
import { notBlank } from '../input/flag-values.ts';
import { readTextFile } from '../input/text-file.ts';
import { keyValues } from '../print/table.ts';
import { attachOptions, HOSTED, isEmpty, LISTENER_FLAGS, TIMING_FLAGS } from './flags/attach.ts';
import { MAILBOX_FLAGS, mailboxOption } from './flags/mailbox.ts';
import { MCP_AT_LAUNCH, mcpData, mcpLine, mcpOption } from './flags/mcp.ts';
import { errorData, fleetData, fleetLine, reportMissing } from './missing.ts';
import { calledLine, projectLine } from './project-line.ts';
import { INSTALL_SKILLS, skillsLine } from './skills-line.ts';
import { PAIR_PORT, sessionContext } from './target.ts';
import { equipmentLine, turnOnWakes, WAKE, type Wakes, wakesData, wakesNow, wakeWanted } from './wake.ts';

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const { afterStop, bringBackStopped, launch, fleetActions } = await import('../../session/index.ts');
  const context = sessionContext(input);
  const port = input.flags.pairPort;
  const stopped = await onlyNamed(input);
  if (stopped) return backOutput(input, await bringBackStopped(context, stopped, asBefore(stopped)));
  const options = await optionsOf(input);
  const atFleet = async (at: number): Promise<LaunchReport> => {
    const { launchAtFleet, fleetServerOn } = await fleetActions();
    return launchAtFleet(context, fleetServerOn(at, input.env), options);
  };
  const before = port === undefined && !input.flags.fresh ? await afterStop(context, options) : undefined;
  if (before && 'session' in before)
    return backOutput(input, await bringBackStopped(context, before.session, options));
  const { options: withBefore, notes } = continued(options, before);
  const begun = await (port === undefined ? launch(context, withBefore) : atFleet(port));
  const launched = { ...begun, notes: [...begun.notes, ...notes] };
  const wanted = isWoken(input) && launched.attached;
  const report = { ...launched, ...(wanted && (await turnOnWakes(input, launched.facts))) };
  if (input.style !== 'json') for (const note of launched.notes) input.err(`warning: ${note}\n`);
  return { data: dataOf(report), plain: await plainOf(input, report), ...reportMissing(input, report) };
}

/** The stopped agent of `rouse launch ana`, where the one word is no tool, no preset and no program. */
async function onlyNamed(input: InputOf<typeof FLAGS>): Promise<ManifestFacts | undefined> {
  const { tool, agentName, fresh, pairPort } = input.flags;
  if (agentName !== undefined || fresh || pairPort !== undefined || input.args.length > 0) return undefined;
  const { toolOf } = await import('../../tools/index.ts');
  const { stoppedCalled } = await import('../../session/index.ts');
  const isTool = toolOf(tool) || presetOf(input.settings.config, tool);
  if (isTool || findProgram(tool, input.env, process.cwd())) return undefined;
  return stoppedCalled(sessionContext(input), tool);
}

function asBefore({
  tool,
  shortName,
  agentId,
  workingDirectory: workdir,
  project,
  backend,
}: ManifestFacts): LaunchOptions {
  const names = { tool, agentName: shortName, agentId, workdir, project, cwd: workdir };
  return { ...names, headless: isHeadless(backend), args: [], skills: false };
}

/** A session that was launched in another way before it was stopped. */
function continued(options: LaunchOptions, before: AfterStop): { options: LaunchOptions; notes: string[] } {
  if (!before || 'session' in before) return { options, notes: [] };
  if ('why' in before) return { options, notes: [`it began a new conversation: ${before.why}`] };
  return { options: { ...options, conversation: before.conversation }, notes: [before.note] };
}

/** A stopped agent is back, woken as before unless the line asks for more. */
async function backOutput(input: InputOf<typeof FLAGS>, back: BackAfterStop): Promise<Output> {
  const { facts, attached, resumed, notes } = back;
  const now = attached && (await wakesNow(input, facts));
  const wakes = isWoken(input) && now?.enabled === false ? await turnOnWakes(input, facts) : { wakes: now };
  const report = { ...back, ...wakes, paneId: back.paneId ?? '', attached };
  if (input.style !== 'json') for (const note of notes) input.err(`warning: ${note}\n`);
  const how = resumed ? 'with its conversation' : 'with a new conversation';
  return {
    data: { ...dataOf(report), brought_back: true, resumed },
    plain: await plainOf(input, report, `Brought back ${facts.agentName}, ${how}`),
    ...reportMissing(input, report),
  };
}

function isWoken(input: InputOf<typeof FLAGS>): boolean {
  return wakeWanted(input, input.flags.wake, mailboxOption(input.flags));
}

async function optionsOf(input: InputOf<typeof FLAGS>): Promise<LaunchOptions> {
  const { flags, args, settings } = input;
  const wake = isWoken(input);
  noteUntrusted(input);
  return withPreset<LaunchOptions>(settings.config, {
    tool: flags.tool,
    agentName: flags.agentName ?? (await freeName(input, flags.tool)),
    agentId: flags.agentId,
    sessionName: flags.sessionName,
    workdir: flags.workdir,
    cwd: process.cwd(),
    headless: flags.headless === true,
    args,
    rolePrompt: rolePrompt(flags.rolePrompt, flags.rolePromptFile),
    roleName: flags.roleName,
    home: flags.home,
    resumeArgs: flags.resumeArg,
    continueArgs: flags.continueArg,
    mailbox: mailboxOption(flags),
    skills: flags.installHoumaoSkills,
    mcp: mcpOption(flags),
    autoAttach: autoAttach(flags, wake),
    takeOver: flags.takeOver === true,
  });
}

/** `claude`, or `claude-2` while that name is taken. */
async function freeName(input: Input, tool: string): Promise<string> {
  const { roster } = await import('../../session/index.ts');
  const { agents } = await roster(sessionContext(input));
  const taken = new Set(agents.map(({ name }) => name));
  const base =
    path
      .basename(tool)
      .replace(/[^A-Za-z0-9-]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'agent';
  let name = base;
  for (let number = 2; taken.has(name); number++) name = `${base}-${number}`;
  return name;
}

function rolePrompt(text: string | undefined, file: string | undefined): string | undefined {
  if (text !== undefined && file !== undefined)
    throw invalid('use --role-prompt or --role-prompt-file, not both');
  if (file === undefined) return text;
  const read = readTextFile('--role-prompt-file', file);
  if (read.trim() === '') throw invalid(`--role-prompt-file ${file} must not be blank`);
  return read;
}

function autoAttach(flags: FlagsOf<typeof FLAGS>, wake: boolean): LaunchOptions['autoAttach'] {
  const { gatewayBackground: background, gatewayForeground: foreground, hosted } = flags;
  const options = attachOptions(flags, { background, foreground, hosted });
  if (wake) return { ...options, mode: options.mode ?? 'hosted' };
  if (flags.gatewayAutoAttach) return options;
  if (isEmpty(options)) return undefined;
  throw invalid('--allow-users, --hosted and the --gateway-… flags need --wake or --gateway-auto-attach', {
    hint: 'or pass them to "rouse agents gateway attach" later',
  });
}

function dataOf({
  facts,
  paneId,
  toolPid,
  skills,
  mcp,
  notes,
  attached,
  attachError,
  wakes,
  wakeError,
  ...membership
}: LaunchReport & Wakes): Record<string, unknown> {
  return {
    agent_name: facts.agentName,
    short_name: facts.shortName,
    project: facts.project ?? null,
    agent_id: facts.agentId,
    backend: facts.backend,
    tool: facts.tool,
    session_id: facts.sessionId,
    tmux_session_name: facts.tmuxSessionName,
    tmux_socket: facts.tmuxSocket ?? null,
    pane_id: paneId,
    tool_pid: toolPid,
    session_root: facts.root,
    manifest_path: facts.path,
    skills_written: skills?.written ?? [],
    skills_problem: skills?.problem ?? null,
    mcp: mcpData(mcp),
    notes,
    gateway: attached?.status ?? null,
    gateway_auto_attach_error: errorData(attachError),
    ...wakesData({ wakes, wakeError }),
    ...fleetData(membership),
  };
}

async function plainOf(
  input: Input,
  report: LaunchReport & Wakes,
  heading = `Launched ${report.facts.agentName}${calledLine(report.facts)}`,
): Promise<string> {
  const { facts, attached } = report;
  const { wayInWords } = await import('../../session/index.ts');
  const lines = keyValues({
    ...projectLine(facts),
    agent_id: facts.agentId,
    tmux_session_name: facts.tmuxSessionName,
    backend: facts.backend,
    tool_pid: report.toolPid,
    session_root: facts.root,
    ...skillsLine(report.skills),
    ...mcpLine(report.mcp),
    gateway: attached ? `${attached.status.gateway_host}:${attached.status.gateway_port}` : 'not attached',
    ...fleetLine(report.fleet),
  });
  return `${heading}\n${lines}\n${equipmentLine(report)}\nlook: ${commandLine`rouse open ${facts.agentName}`}   # ${wayInWords(input, facts)}`;
}

async function description(): Promise<string> {
  const { toolNames } = await import('../../tools/index.ts');
  return (
    'Starts the tool in window 0 of a new tmux session, gives it a mailbox, and publishes where it is. Tools: ' +
    `${toolNames().join(', ')}, or any program; with --tool command the ` +
    'command line goes after "--". The tool gets your environment; none of it is stored. An agent that was stopped and is ' +
    'launched in the same way, or by its name alone, comes back with its conversation, its queue, its reminders and its ' +
    'wake settings.'
  );
}

const FLAGS = [
  {
    name: 'tool',
    word: 'tool',
    names: 'tool',
    value: 'TOOL',
    summary: 'what to run: a tool, a preset of your files, or any program',
    required: true,
    parse: notBlank,
  },
  {
    name: 'agent-name',
    word: 'name',
    value: 'NAME',
    summary: 'name of the agent (default: that of the tool, with a number if it is taken)',
  },
  {
    name: 'fresh',
    summary: 'begin a new conversation and a new session, even if an agent of this name was stopped',
  },
  { name: 'agent-id', value: 'ID', summary: 'agent id (default: derived from the name)' },
  {
    name: 'session-name',
    value: 'SESSION',
    summary: `name of the tmux session (default: ${NAME_PREFIX}-<name>-<time>)`,
  },
  { name: 'workdir', value: 'DIR', summary: 'working directory (default: current)' },
  { name: 'headless', summary: 'run without a screen, one process per turn' },
  {
    name: 'home',
    value: 'DIR',
    summary: "the tool's configuration directory, if it has a variable for it",
  },
  { name: 'role-prompt', value: 'TEXT', summary: "the agent's role, as text", parse: notBlank },
  { name: 'role-prompt-file', value: 'FILE', summary: "the agent's role, from a file" },
  { name: 'role-name', value: 'NAME', summary: 'name of the role, kept in the record' },
  {
    name: 'resume-arg',
    value: 'WORD',
    summary: 'headless command: words that resume chat {session}',
    many: true,
  },
  {
    name: 'continue-arg',
    value: 'WORD',
    summary: 'headless command: words that resume the last chat',
    many: true,
  },
  { ...PAIR_PORT, summary: 'let the fleet server on this port launch the agent and own its session' },
  ...MAILBOX_FLAGS,
  INSTALL_SKILLS,
  ...MCP_AT_LAUNCH,
  TAKE_OVER,
  WAKE,
  { name: 'gateway-auto-attach', summary: 'attach a gateway as soon as the agent runs' },
  { name: 'gateway-background', summary: 'run the gateway as a detached process' },
  { name: 'gateway-foreground', summary: 'run the gateway in a window beside the agent' },
  HOSTED,
  ...LISTENER_FLAGS,
  ...TIMING_FLAGS,
] as const satisfies readonly Flag[];

const launch = command({
  ...FIRST_WORDS.launch,
  description,
  examples: [
    'rouse agents launch --tool claude --agent-name gpu --wake',
    'rouse agents launch --tool codex --agent-name rev --workdir ~/src/app --gateway-auto-attach -- --model o5',
    'rouse agents launch --tool claude --agent-name app --mailbox-root .agent/inbox.md --mailbox-address totebox@app',
    'rouse agents launch --tool command --agent-name mine -- ./my-agent --flag',
    'rouse launch gpu   # the agent that "rouse stop gpu" stopped',
    'rouse agents launch --tool claude --agent-name cao-gpu --pair-port 9889',
  ],
  args: [
    { name: 'tool-args', summary: 'arguments for the tool, after "--"', variadic: true, optional: true },
  ],
  flags: FLAGS,
  run,
});

export default launch;
