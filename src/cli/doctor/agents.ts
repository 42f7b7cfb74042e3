import * as fs from 'node:fs';
import { commandLine, shellQuote } from '../../base/index.ts';
import { FIX_UNWRITABLE, pausedWords, relaunchCommand, START_HOSTS } from '../../domain/index.ts';
import type { ListedAgent, RosterAgent } from '../../session/index.ts';
import { sessionContext } from '../agents/target.ts';
import { dayAndTime } from '../print/local-time.ts';
import { type Check, type Finding, ok, problem, warning } from './check.ts';

/** What agents need: tmux, tools whose screens are known, live sessions and gateways. */

const tmux: Check = {
  id: 'tmux',
  async look(input) {
    const { examineTmux } = await (await import('../../session/index.ts')).examinations();
    const { version, socket, sessions } = await examineTmux(sessionContext(input));
    const running =
      sessions === 0 ? 'no server runs' : `its server has ${sessions} session${sessions > 1 ? 's' : ''}`;
    return [ok('tmux', `tmux ${version}; ${running} (${socket})`)];
  },
};

/** tmux refuses a directory that others may enter, with an error that does not say so. */
const sockets: Check = {
  id: 'sockets',
  async look(input) {
    const { socketDirectory } = await (await import('../../session/index.ts')).examinations();
    const directory = socketDirectory(sessionContext(input));
    const stat = fs.statSync(directory, { throwIfNoEntry: false });
    if (!stat) return [ok('sockets', `${directory} will be created by tmux`)];
    if (stat.uid !== process.getuid?.())
      return [
        problem(
          'sockets',
          `${directory} belongs to another account (uid ${stat.uid})`,
          'export ROUSE_TMUX_SOCKET=$HOME/.rouse/tmux',
        ),
      ];
    if (/\/tmux-\d+$/.test(directory) && (stat.mode & 0o077) !== 0)
      return [
        {
          ...problem(
            'sockets',
            `other accounts may enter ${directory}`,
            `chmod 700 ${shellQuote(directory)}`,
          ),
          repair: () => fs.chmodSync(directory, 0o700),
        },
      ];
    return [ok('sockets', directory)];
  },
};

const tools: Check = {
  id: 'tools',
  async look(input) {
    const { examineTools } = await (await import('../../session/index.ts')).examinations();
    const found = await examineTools(sessionContext(input));
    if (found.length === 0)
      return [
        warning(
          'tools',
          'no agent CLI is on the PATH',
          'install one: npm install --global @anthropic-ai/claude-code',
        ),
      ];
    return found.map(({ tool, executable, version, known, seen }): Finding => {
      const id = `tool.${tool}`;
      if (known === 'never')
        return warning(id, `${executable}: its screens are not known; Rouse calibrates itself to them`, null);
      if (version === null)
        return warning(id, `${executable} does not say its version`, `try it by hand: ${tool} --version`);
      const newest = seen.at(-1);
      if (known === 'outside')
        return problem(
          id,
          `the screens of ${version} are not known (only up to ${newest}): nothing is typed into it`,
          'update rouse, or install a known version',
        );
      return ok(id, known === 'seen' ? `${version}, known` : `${version}, handled like ${newest}`);
    });
  },
};

const sessions: Check = {
  id: 'sessions',
  async look(input) {
    const { listAgents, roster } = await import('../../session/index.ts');
    const { agents, malformed_records } = await listAgents(sessionContext(input));
    const seen = new Map((await roster(sessionContext(input))).agents.map((each) => [each.id, each]));
    const together: RosterAgent[] = [];
    const findings = agents.flatMap((agent) => {
      const shown = seen.get(agent.agent_id);
      if (shown?.needs[0]?.command === START_HOSTS) {
        together.push(shown);
        return [];
      }
      const [wrong] = judge(agent, shown);
      return wrong ?? asked(agent, shown);
    });
    findings.push(...withOneFix(together), ...pausedOnes([...seen.values()]));
    if (malformed_records.length > 0)
      findings.push(
        warning(
          'records',
          `${malformed_records.length} registry file(s) are not records: ${malformed_records[0]}`,
          'the next launch puts them aside',
        ),
      );
    const running = agents.filter(({ session }) => session === 'running').length;
    return findings.length > 0
      ? findings
      : [ok('sessions', `${running} agent${running === 1 ? '' : 's'} running`)];
  },
};

/** One command fixes all of them; agents with the same trouble share a finding. */
function withOneFix(agents: readonly RosterAgent[]): Finding[] {
  const words = new Set(agents.map(({ needs_you }) => needs_you));
  return [...words].map((needs_you) => {
    const alike = agents.filter((each) => each.needs_you === needs_you);
    const names = alike.map(({ name }) => name).join(', ');
    return alike[0]?.needs[0]?.kind === 'gateway_dead'
      ? problem('gateways', `${names} will not be woken: ${needs_you}`, START_HOSTS)
      : warning('gateways', `${names}: ${needs_you}`, START_HOSTS);
  });
}

/** A person wants it so; doctor only reminds of it. */
function pausedOnes(agents: readonly RosterAgent[]): Finding[] {
  return agents.flatMap(({ name, paused }) =>
    paused ? [ok(`agent.${name}`, `paused ${pausedWords(paused, dayAndTime)}`)] : [],
  );
}

/** A gateway that cannot work is a problem; anything else a person should look at is a warning. */
function asked({ agent_name }: ListedAgent, seen: RosterAgent | undefined): Finding[] {
  if (!seen?.needs_you) return [];
  const id = `agent.${agent_name}`;
  const [need] = seen.needs;
  const found = need?.kind === 'gateway_dead' ? problem : warning;
  // Doctor itself is already running.
  const fix = need?.command === FIX_UNWRITABLE.command ? undefined : need?.command;
  return [found(id, `needs you: ${seen.needs_you}`, fix ?? null)];
}

function judge(
  { agent_name: name, session, gateway, gateway_down, tool_connectivity }: ListedAgent,
  seen: RosterAgent | undefined,
): Finding[] {
  const id = `agent.${name}`;
  if (session === 'stale') return [];
  if (session === 'lost')
    return [
      warning(
        id,
        'its tmux session is gone',
        `${relaunchCommand(name)}   (or: ${commandLine`rouse stop ${name}`})`,
      ),
    ];
  if (gateway === 'silent')
    return [
      problem(id, 'its gateway runs but does not respond', commandLine`rouse agents gateway attach ${name}`),
    ];
  if (gateway === 'down')
    return [
      problem(
        id,
        gateway_down ?? 'its gateway is down',
        seen?.needs[0]?.command ?? commandLine`rouse agents gateway attach ${name}`,
      ),
    ];
  // Nothing starts it again by itself, or only slowly; or it was asked for and did not start.
  if ((gateway === 'restarting' || gateway === 'not_attached') && seen?.needs_you) return [];
  if (gateway === 'restarting')
    return [warning(id, 'its gateway has ended and is being started again', START_HOSTS)];
  if (tool_connectivity === 'unavailable') return [warning(id, 'its tool has ended', relaunchCommand(name))];
  if (gateway === 'not_attached')
    return [warning(id, 'no gateway: it is not woken', commandLine`rouse agents gateway attach ${name}`)];
  return [];
}

const records: Check = {
  id: 'records',
  async look(input) {
    const { deadRecords } = await (await import('../../session/index.ts')).examinations();
    const dead = deadRecords(sessionContext(input));
    if (dead.length === 0) return [ok('records', 'every record has its session')];
    const names = dead.map(({ agentName }) => agentName).join(', ');
    return [
      {
        ...warning('records', `records whose session directory is gone: ${names}`, 'rouse doctor --fix'),
        repair: async () => {
          for (const { forget } of dead) await forget();
        },
      },
    ];
  },
};

export const AGENT_CHECKS: Check[] = [tmux, sockets, tools, sessions, records];
