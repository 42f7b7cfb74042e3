import { asRouseError, commandLine, invalid } from '../../base/index.ts';
import type { JoinOptions, JoinReport, LaunchReport } from '../../session/index.ts';
import type { Tool } from '../../tools/index.ts';
import { BACKEND } from '../../wire/houmao/index.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { TAKE_OVER } from '../fleet/access.ts';
import { notBlank } from '../input/flag-values.ts';
import { keyValues } from '../print/table.ts';
import { MAILBOX_FLAGS, mailboxOption } from './flags/mailbox.ts';
import { errorData, fleetData, fleetLine, reportMissing } from './missing.ts';
import { calledLine, projectLine } from './project-line.ts';
import { INSTALL_SKILLS, skillsLine } from './skills-line.ts';
import { sessionContext } from './target.ts';
import { equipmentLine, turnOnWakes, WAKE, type Wakes, wakesData, wakeWanted } from './wake.ts';

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const { join } = await import('../../session/index.ts');
  const options = optionsOf(input);
  const wake = wakeWanted(input, input.flags.wake, options.mailbox);
  const joined = await join(sessionContext(input), options);
  const report: Joined = { ...joined, ...(wake && (await attachAndWake(input, joined))) };
  const { toolOf } = await import('../../tools/index.ts');
  const line = report.mcpFile
    ? installedLine(report, report.mcpFile)
    : mcpLine(report, toolOf(report.facts.tool));
  return {
    data: { ...dataOf(report), mcp_line: line ?? null },
    plain: [plainOf(report), ...(line ? [line] : [])].join('\n'),
    ...reportMissing(input, report),
  };
}

/** How a running tool gets our tools: its configuration belongs to the person, and it reads it only at its start. */
function mcpLine({ facts }: Joined, tool: Tool | undefined): string | undefined {
  if (!tool?.mcp?.config) return undefined;
  const install = `"${commandLine`rouse mcp install --tool ${facts.tool} --agent-name ${facts.agentName}`}"`;
  return `mail tools: ${install}, then restart ${facts.tool} ("join --install-mcp" does the first step, and leave undoes it)`;
}

function installedLine({ facts }: Joined, file: string): string {
  return `mail tools: added to ${file}; restart ${facts.tool} to have them. "rouse agents leave" puts the file back`;
}

type Joined = JoinReport & Partial<Pick<LaunchReport, 'attached' | 'attachError'>> & Wakes;

/** Runs the gateway outside the session, which belongs to the person. */
async function attachAndWake(
  input: InputOf<typeof FLAGS>,
  { facts }: JoinReport,
): Promise<Omit<Joined, keyof JoinReport>> {
  const { attach } = await import('../../session/index.ts');
  try {
    const options = { mode: 'hosted' } as const;
    const attached = await attach(sessionContext(input), { kind: 'local', facts }, options);
    return { attached, ...(await turnOnWakes(input, facts)) };
  } catch (error) {
    return { attachError: asRouseError(error) };
  }
}

function dataOf(report: Joined): Record<string, unknown> {
  const { facts, toolPid, relaunchable, attached } = report;
  return {
    agent_name: facts.agentName,
    short_name: facts.shortName,
    project: facts.project ?? null,
    agent_id: facts.agentId,
    backend: facts.backend,
    tool: facts.tool,
    session_id: facts.sessionId,
    tmux_session_name: facts.tmuxSessionName,
    tool_pid: toolPid,
    relaunchable,
    session_root: facts.root,
    manifest_path: facts.path,
    gateway: attached?.status ?? null,
    gateway_auto_attach_error: errorData(report.attachError),
    skills_written: report.skills?.written ?? [],
    skills_problem: report.skills?.problem ?? null,
    mcp_file: report.mcpFile ?? null,
    mcp_error: errorData(report.mcpError),
    ...wakesData(report),
    ...fleetData(report),
  };
}

function plainOf(report: Joined): string {
  const { facts, relaunchable, attached } = report;
  const lines = keyValues({
    ...projectLine(facts),
    agent_id: facts.agentId,
    tool: facts.tool,
    tmux_session_name: facts.tmuxSessionName,
    relaunchable,
    session_root: facts.root,
    ...skillsLine(report.skills),
    gateway: attached ? `${attached.status.gateway_host}:${attached.status.gateway_port}` : 'not attached',
    ...fleetLine(report.fleet),
  });
  return `Joined ${facts.agentName}${calledLine(facts)}\n${lines}\n${equipmentLine(report)}`;
}

function optionsOf({ flags }: InputOf<typeof FLAGS>): JoinOptions {
  return {
    agentName: flags.agentName,
    agentId: flags.agentId,
    headless: flags.headless === true,
    provider: flags.provider,
    launchArgs: flags.launchArgs,
    launchEnv: flags.launchEnv,
    workdir: flags.workdir,
    cwd: process.cwd(),
    resumeId: flags.resumeId,
    tmuxSession: flags.targetTmuxSession,
    pane: flags.pane,
    mailbox: mailboxOption(flags),
    skills: flags.installHoumaoSkills,
    installMcp: flags.installMcp === true,
    takeOver: flags.takeOver === true,
    owned: caoOption(flags.cao, flags.caoUrl),
  };
}

function caoOption(terminalId: string | undefined, url: string | undefined): JoinOptions['owned'] {
  if (terminalId !== undefined) return { backend: BACKEND.cao, terminalId, url };
  if (url !== undefined) throw invalid('--cao-url needs --cao');
  return undefined;
}

const FLAGS = [
  { name: 'agent-name', word: 'name', value: 'NAME', summary: 'name of the agent', required: true },
  { name: 'agent-id', value: 'ID', summary: 'agent id (default: derived from the name)' },
  {
    name: 'target-tmux-session',
    value: 'SESSION',
    summary: 'adopt this session instead of the current one',
  },
  {
    name: 'cao',
    value: 'TERMINAL_ID',
    summary: 'adopt this terminal of a CAO server, which keeps owning it',
  },
  { name: 'cao-url', value: 'URL', summary: 'where the CAO server is (default: http://127.0.0.1:9889)' },
  {
    name: 'pane',
    value: 'PANE',
    summary: "the tool's pane: WINDOW, WINDOW.PANE or an id such as %7 (default: the first of window 0)",
    parse: notBlank,
  },
  {
    name: 'headless',
    summary: 'run without a screen, one process per turn; needs --provider and --launch-args',
  },
  { name: 'provider', value: 'TOOL', summary: 'which tool it is, if that cannot be detected' },
  {
    name: 'launch-args',
    value: 'WORD',
    summary: 'argument for the tool when it is relaunched',
    many: true,
  },
  {
    name: 'launch-env',
    value: 'NAME[=VALUE]',
    summary: 'variable for the tool, with a value or inherited',
    many: true,
  },
  { name: 'workdir', value: 'DIR', summary: 'working directory (default: current)' },
  {
    name: 'resume-id',
    value: 'ID',
    summary: 'headless: the chat to continue, or "last"',
    parse: notBlank,
  },
  ...MAILBOX_FLAGS,
  INSTALL_SKILLS,
  {
    name: 'install-mcp',
    summary: "add Rouse's MCP server to the tool's own configuration; leave puts the file back",
  },
  TAKE_OVER,
  WAKE,
] as const satisfies readonly Flag[];

const join = command({
  ...FIRST_WORDS.join,
  description:
    'Run it inside the session. The tool in window 0, or in the pane you name, becomes the agent; nothing is restarted ' +
    'or renamed. Further panes of the session can be joined as agents of their own. The mail skills are installed as at launch. With --launch-args the agent can also be relaunched. ' +
    '"rouse agents leave" undoes everything.',
  examples: [
    'rouse agents join --agent-name gpu --wake                # inside the session of a running claude',
    'rouse agents join --agent-name gpu --target-tmux-session work --pane 1.0 --wake',
    'rouse agents join --agent-name rev --pane %7 --wake      # another tool of a session with an agent',
    'rouse agents join --agent-name gpu --launch-args=--model --launch-args=opus',
  ],
  flags: FLAGS,
  run,
});

export default join;
