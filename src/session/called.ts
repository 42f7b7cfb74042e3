import { commandLine, conflict, nearest, notFound, readIfExists } from '../base/index.ts';
import { bareAgentName, calledIn, type Project, parseCalled } from '../domain/index.ts';
import { besideOf } from '../wire/files/beside.ts';
import type { RegistryRecord } from '../wire/index.ts';
import { createdAt, lostRecords, manifests } from './live-sessions.ts';
import { type ManifestFacts, tryManifestFacts } from './records/manifest-facts.ts';
import { findProject, projectOf } from './records/project.ts';
import { readRegistry } from './records/registry-read.ts';
import type { Here, SessionContext } from './session-context.ts';

/** An agent on record, with its project. */
interface KnownAgent {
  agentName: string;
  shortName: string;
  /** Undefined if its manifest cannot be read. */
  project: Project | undefined;
}

/**
 * The name on the machine of the agent that a person or an agent calls `ana` or `app/ana`: first the one of the caller's
 * own project, whether or not it runs, then the one that has exactly this name. Returns `text` itself if no agent is meant.
 */
export function nameOnMachine(context: SessionContext, text: string): string {
  const { project, name } = parseCalled(text.trim());
  if (project !== undefined) return inProject(context, project, name);
  const bare = bareAgentName(name);
  const { here } = context;
  if (!here) return bare;
  const records = onRecord(context).filter(({ agent_name: known }) => isCalled(known, bare));
  const mine = findProject(here.directory);
  const known = records.map(knownAgent);
  const own = known.find((each) => isOf(each, mine, bare));
  if (own) return own.agentName;
  if (known.some(({ agentName, project }) => agentName === bare && project?.directory === mine.directory))
    return bare;
  const ended = endedIn(context, mine, bare);
  if (ended) return ended.agentName;
  const others = known.find(({ agentName }) => agentName === bare);
  if (others?.project && here.members?.includes(bare)) throw notStarted(bare, mine, others.project);
  return bare;
}

/** Both spellings: `ana`, and `app-ana` for one whose short name may be `ana`. */
function isCalled(agentName: string, name: string): boolean {
  const bare = bareAgentName(agentName);
  return bare === name || bare.endsWith(`-${name}`);
}

const isOf = ({ project, shortName }: KnownAgent, { directory }: Project, name: string): boolean =>
  project?.directory === directory && shortName === name;

function notStarted(name: string, mine: Project, other: Project): Error {
  return notFound(`agent ${name} of project ${mine.name} (${mine.directory}) does not run`, {
    hint: `"${commandLine`rouse up ${name}`}" starts it; ${calledIn(other, name)} is the one in ${other.directory}`,
    facts: { cause: 'not_started', project: mine.directory },
  });
}

function inProject(context: SessionContext, name: string, short: string): string {
  const known = onRecord(context).map(knownAgent);
  const mine = context.here && findProject(context.here.directory);
  const projects = [...known.flatMap(({ project }) => project ?? []), ...(mine ? [mine] : [])];
  const named = new Map(projects.filter((each) => each.name === name).map((each) => [each.directory, each]));
  if (named.size > 1) throw ambiguousProject(name, [...named.values()], known);
  const [project] = named.values();
  if (!project) throw noSuchProject(name, projects);
  const found = known.find((each) => isOf(each, project, short)) ?? endedIn(context, project, short);
  if (found) return found.agentName;
  const has = known.filter((each) => each.project?.directory === project.directory);
  throw notFound(`project ${name} (${project.directory}) has no agent "${short}"`, {
    hint:
      has.length > 0
        ? `it has: ${has.map(({ shortName }) => shortName).join(', ')}`
        : '"rouse ls" shows the agents there are',
  });
}

/** A name of a project leads nowhere if two have it. */
export function ambiguousProject(
  name: string,
  projects: readonly Project[],
  known: readonly KnownAgent[],
): Error {
  const paths = projects.map(({ directory }) => directory).sort();
  const names = known.filter(({ project }) => project && paths.includes(project.directory));
  return conflict(`${projects.length} projects are called "${name}": ${paths.join(' and ')}`, {
    hint: `use the name that is unique on this machine, with --agent-name: ${names.map(({ agentName }) => agentName).join(', ') || 'see "rouse ls"'}`,
    facts: { cause: 'ambiguous_project', projects: paths },
  });
}

function noSuchProject(name: string, projects: readonly Project[]): Error {
  const [close] = nearest(name, new Set(projects.map((each) => each.name)));
  return notFound(`no agent of this host is of a project called "${name}"`, {
    hint: close ? `did you mean "${close}"? "rouse ls" shows all` : '"rouse ls" shows projects and agents',
  });
}

/** With those whose lease ran out although no one stopped them. */
function onRecord({ settings, clock }: SessionContext): RegistryRecord[] {
  const view = readRegistry(settings.registryDir, clock.now().getTime());
  return [...view.fresh, ...lostRecords(view)];
}

export function knownAgent({ agent_name: agentName, runtime }: RegistryRecord): KnownAgent {
  const facts = tryManifestFacts(runtime.manifest_path);
  const name = bareAgentName(agentName);
  return { agentName: name, shortName: facts?.shortName ?? name, project: facts && projectOf(facts) };
}

/** The newest session of this agent of a project, from the session roots that remain. */
export function endedIn(
  { settings }: SessionContext,
  { directory }: Project,
  shortName: string,
): ManifestFacts | undefined {
  return (
    manifests(settings.runtimeDir)
      // Sessions of years may be there, so only those that have the name are read whole.
      .filter((file) => readIfExists(besideOf(file))?.includes(`"short_name": ${JSON.stringify(shortName)}`))
      .flatMap((file) => tryManifestFacts(file) ?? [])
      .filter((facts) => facts.shortName === shortName && facts.project?.directory === directory)
      .sort((a, b) => createdAt(b).localeCompare(createdAt(a)))[0]
  );
}

/** What `spokenNames` needs of an agent. */
export type NamedAgent = Pick<KnownAgent, 'agentName' | 'shortName' | 'project'>;

/**
 * How each agent is called from here, so that the word leads to it in every short command: by its short name in its own
 * project, else by its name on the machine, else with its project. From nowhere, with its project if two share a short name.
 */
export function spokenNames(agents: readonly NamedAgent[], here: Here | undefined): string[] {
  if (!here) return withProjects(agents);
  const mine = findProject(here.directory);
  const isMine = ({ project }: NamedAgent): boolean => project?.directory === mine.directory;
  const taken = new Set([
    ...(here.members ?? []),
    ...agents.filter(isMine).map(({ shortName }) => shortName),
  ]);
  return agents.map((agent) => {
    const { agentName, shortName, project } = agent;
    if (isMine(agent)) return shortName;
    return taken.has(agentName) && project ? calledIn(project, shortName) : agentName;
  });
}

function withProjects(agents: readonly NamedAgent[]): string[] {
  return agents.map(({ agentName, shortName, project }) => {
    const isShared = agents.some((each) => each.shortName === shortName && each.agentName !== agentName);
    return isShared && project ? calledIn(project, shortName) : agentName;
  });
}
