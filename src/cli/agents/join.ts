import type { JoinOptions } from '../../session/index.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { TAKE_OVER } from '../fleet/access.ts';
import { notBlank } from '../input/flag-values.ts';
import { keyValues } from '../print/table.ts';
import { MAILBOX_FLAGS, mailboxOption } from './mailbox-flags.ts';
import { fleetData, fleetLine, sayMissing } from './missing.ts';
import { sessionContext } from './target.ts';

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const { join } = await import('../../session/index.ts');
  const { facts, toolPid, relaunchable, ...membership } = await join(sessionContext(input), optionsOf(input));
  return {
    data: {
      agent_name: facts.agentName,
      agent_id: facts.agentId,
      backend: facts.backend,
      tool: facts.tool,
      session_id: facts.sessionId,
      tmux_session_name: facts.tmuxSessionName,
      tool_pid: toolPid,
      relaunchable,
      session_root: facts.root,
      manifest_path: facts.path,
      ...fleetData(membership),
    },
    plain: `Joined ${facts.agentName}\n${keyValues({
      agent_id: facts.agentId,
      tool: facts.tool,
      tmux_session_name: facts.tmuxSessionName,
      relaunchable,
      session_root: facts.root,
      ...fleetLine(membership.fleet),
    })}`,
    ...sayMissing(input, membership),
  };
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
    mailbox: mailboxOption(flags),
    takeOver: flags.takeOver === true,
  };
}

const FLAGS = [
  { name: 'agent-name', value: 'NAME', summary: 'name of the agent', required: true },
  { name: 'agent-id', value: 'ID', summary: 'agent id (default: derived from the name)' },
  {
    name: 'target-tmux-session',
    value: 'SESSION',
    summary: 'adopt this session instead of the current one',
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
  TAKE_OVER,
] as const satisfies readonly Flag[];

const join = command({
  name: 'join',
  summary: 'adopt a tmux session in which a tool is already running',
  description:
    'Run it inside the session. The tool in window 0, pane 0 becomes the agent; nothing is restarted. With ' +
    '--launch-args the agent can also be relaunched.',
  examples: [
    'rouse agents join --agent-name gpu                       # inside the session of a running claude',
    'rouse agents join --agent-name gpu --launch-args=--model --launch-args=opus',
  ],
  flags: FLAGS,
  run,
});

export default join;
