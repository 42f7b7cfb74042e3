import * as fs from 'node:fs';
import * as path from 'node:path';
import { asRouseError, commandLine, conflict, nearest, notFound, type RouseError } from '../../base/index.ts';
import { type Config, type Setting, teamOf } from '../../config/index.ts';
import type { Project } from '../../domain/index.ts';
import { exitCodeOf } from '../../wire/codes.ts';
import { errorData } from '../agents/missing.ts';
import type { Input, Output } from '../command.ts';
import { table } from '../print/table.ts';

type Team = NonNullable<ReturnType<typeof teamOf>>;

/** An agent that the team's file names. */
export interface TeamMember {
  name: string;
  setting: Team['members'][number][1];
  workdir: string;
  /** Of the file that names the team, if it is a project's; else of where it works. */
  project: Project;
}

/** What happened to one of them. */
export interface MemberReport {
  name: string;
  action: 'started' | 'running' | 'brought_back' | 'stopped' | 'left' | 'not_running' | 'failed';
  detail: string;
  notes?: string[];
  error?: RouseError | undefined;
}

/** The members of the team, or those that the line names. */
export async function membersOf({ settings, args }: Input): Promise<{ file: string; members: TeamMember[] }> {
  const { findProject } = await import('../../session/index.ts');
  const team = teamOf(settings.config);
  if (!team) throw noTeam(settings.config);
  const names = team.members.map(([name]) => name);
  for (const name of args) {
    if (names.includes(name)) continue;
    const [close] = nearest(name, names);
    throw notFound(`${team.file} names no agent "${name}"`, {
      hint: close ? `did you mean "${close}"?` : `it names: ${names.join(', ')}`,
    });
  }
  const members = team.members
    .filter(([name]) => args.length === 0 || args.includes(name))
    .map(([name, setting]) => {
      const workdir = workdirOf(team.file, setting);
      const project = findProject(setting.byProject ? path.dirname(team.file) : workdir);
      return { name, setting, workdir, project };
    });
  return { file: team.file, members };
}

function workdirOf(file: string, { value }: Setting<{ workdir?: string }>): string {
  const given = value.workdir ?? path.dirname(file);
  try {
    return fs.realpathSync(given);
  } catch {
    return given;
  }
}

function noTeam({ project, own }: Config): Error {
  if (project && project.state !== 'trusted')
    return notFound(
      `${project.path} ${project.state === 'changed' ? 'changed since you trusted it' : 'is not trusted yet'}, so it is ignored, and no other file names a team`,
      {
        hint: project.problem?.message ?? 'look at it, then run "rouse config trust"',
        facts: { cause: 'untrusted', path: project.path },
      },
    );
  return notFound('no file names a team', {
    hint: `write [team.ana] and below it tool = "claude" into .rouse.toml (or ${own.path})`,
  });
}

/** Runs `work` for one member after the other. A failure does not stop the others. */
export async function forEach(
  input: Input,
  members: readonly TeamMember[],
  work: (member: TeamMember) => Promise<MemberReport>,
): Promise<MemberReport[]> {
  const reports: MemberReport[] = [];
  for (const member of members) {
    if (input.signal.aborted) break;
    try {
      reports.push(await work(member));
    } catch (error) {
      const known = asRouseError(error);
      reports.push({ name: member.name, action: 'failed', detail: known.message, error: known });
    }
  }
  return reports;
}

export function teamOutput(file: string, reports: MemberReport[]): Output {
  const failed = reports.find(({ error }) => error !== undefined)?.error;
  const notes = reports.flatMap(({ name, notes = [], error }) => [
    ...notes.map((note) => `note: ${name}: ${note}`),
    ...(error?.hint ? [`${name}: ${error.hint}`] : []),
  ]);
  return {
    data: {
      file,
      agents: reports.map(({ name, action, detail, notes = [], error }) => ({
        name,
        action,
        detail,
        notes,
        error: errorData(error),
      })),
    },
    plain: [
      table(reports, [
        { title: 'agent', value: ({ name }) => name },
        { title: 'outcome', value: ({ action }) => action.replaceAll('_', ' ') },
        { title: 'detail', value: ({ detail }) => detail },
      ]),
      ...notes,
    ].join('\n'),
    ...(failed && { exitCode: exitCodeOf(failed) }),
  };
}

/** An agent of this name that works elsewhere in the project must not be touched. */
export function requireOurs({ name, workdir }: TeamMember, runsIn: string | null): void {
  if (runsIn === null || runsIn === workdir) return;
  throw conflict(`there is already an agent "${name}" that works in ${runsIn}, not in ${workdir}`, {
    hint: `give the one of this team another name, or stop that one: ${commandLine`rouse stop ${name}`}`,
    facts: { cause: 'agent_in_use' },
  });
}
