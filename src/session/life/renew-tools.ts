import { sessionFleet } from '../../client/index.ts';
import { isHeadless, LOOPBACK } from '../../domain/index.ts';
import { toolOf } from '../../tools/index.ts';
import type { SessionManifest } from '../../wire/index.ts';
import { servesTools, sessionMcp } from '../equip/session-mcp.ts';
import { writeAdditions } from '../equip/write-additions.ts';
import { formerGatewayPort } from '../gateway/choose-port.ts';
import { readToken } from '../records/gateway-token.ts';
import { probeGateway } from '../records/live-gateway.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { readManifest, updateManifest } from '../records/manifest-store.ts';
import { type SessionPaths, sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { additionsFor, type PlannedAdditions, placeOf } from './launch-plan.ts';

interface Renewed {
  manifest: SessionManifest;
  /** Variables of this start that are kept nowhere. */
  passingEnv: Record<string, string>;
}

/** What the launch noted of our tools in the manifest. */
interface NotedTools {
  allowed: boolean;
  /** Words of the command line, as they stand there one after the other. */
  args: string[];
  /** Names of variables. */
  env: string[];
}

/**
 * Gives the tool ours again for a new start: from its gateway if one lives now, wherever it listens now, or follows, else
 * from a program.
 * A session that was launched without them, or whose command line was changed since, stays as it is.
 */
export async function renewTools(
  context: SessionContext,
  facts: ManifestFacts,
  gatewayFollows: boolean,
): Promise<Renewed> {
  const manifest = readManifest(facts.root);
  const noted = notedTools(manifest);
  const first = toolOf(facts.tool)?.process.packaged ? 1 : 0;
  const at = noted && placeIn(manifest.launch_plan.args, noted.args, first);
  if (!noted || at === undefined) return { manifest, passingEnv: {} };
  const own = manifest.launch_plan.args.filter((_, i) => i < at || i >= at + noted.args.length);
  const gatewayPort = await portOfGateway(context, sessionPaths(facts.root), gatewayFollows);
  const additions = await additionsNow(context, facts, { manifest, noted, own, gatewayPort });
  if (!additions) return { manifest, passingEnv: {} };
  writeAdditions(additions);
  const args = [...own.slice(0, at), ...(noteIn(additions)?.args ?? []), ...own.slice(at)];
  const renewed = await updateManifest(facts.root, context.clock, (before) => ({
    ...before,
    launch_plan: { ...before.launch_plan, args, metadata: metadataAfter(before, additions) },
    agent_launch_authority: before.agent_launch_authority && {
      ...before.agent_launch_authority,
      launch_args: args,
      launch_env: [
        ...before.agent_launch_authority.launch_env.filter(({ name }) => !noted.env.includes(name)),
        ...variablesOf(additions),
      ],
    },
  }));
  return { manifest: renewed, passingEnv: additions.passingEnv ?? {} };
}

async function additionsNow(
  context: SessionContext,
  facts: ManifestFacts,
  {
    manifest,
    noted,
    own,
    gatewayPort,
  }: { manifest: SessionManifest; noted: NotedTools; own: string[]; gatewayPort: number | undefined },
): Promise<PlannedAdditions | undefined> {
  const tool = toolOf(facts.tool);
  if (!tool) return undefined;
  const paths = sessionPaths(facts.root);
  const mcp = await sessionMcp(
    {
      ...{ root: facts.root, manifest: facts.path, agentId: facts.agentId, allowed: noted.allowed },
      hasMailbox: manifest.launch_plan.mailbox != null,
      isMember: sessionFleet(facts.root) !== undefined,
      gatewayPort,
    },
    context.env,
  );
  const place = placeOf(paths, manifest.launch_plan.home_selector?.home_path ?? undefined, {
    ...{ agentName: facts.agentName, headless: isHeadless(facts.backend), args: own, mcp },
    ...{ env: context.env, workdir: facts.workingDirectory },
  });
  // Hooks and the like are as they were: only what is for our tools is made anew.
  return additionsFor({ ...tool, additions: undefined } as typeof tool, place);
}

async function portOfGateway(
  { env }: SessionContext,
  paths: SessionPaths,
  follows: boolean,
): Promise<number | undefined> {
  const life = await probeGateway(paths, readToken(paths, env));
  if (follows && life.life !== 'live' && life.life !== 'silent') return formerGatewayPort(paths);
  if (life.life !== 'live' || life.gateway.host !== LOOPBACK) return undefined;
  return (await servesTools(paths.root, life.gateway.port)) ? life.gateway.port : undefined;
}

function notedTools(manifest: SessionManifest): NotedTools | undefined {
  const ours = manifest.launch_plan.metadata?.['rouse'] as { mcp?: NotedTools } | undefined;
  return ours?.mcp;
}

const noteIn = ({ metadata }: PlannedAdditions): NotedTools | undefined =>
  metadata?.['mcp'] as NotedTools | undefined;

/** Where these words stand one after the other; with none, behind the program's own script. */
function placeIn(args: readonly string[], words: readonly string[], first: number): number | undefined {
  const at = args.findIndex((_, i) => words.every((word, k) => args[i + k] === word));
  return words.length === 0 ? first : at < 0 ? undefined : at;
}

function metadataAfter({ launch_plan: plan }: SessionManifest, { metadata }: PlannedAdditions) {
  const ours = plan.metadata['rouse'] as Record<string, unknown>;
  const kept = Object.entries(ours).filter(([name]) => name !== 'mcp' && !name.startsWith('mcp_'));
  return { ...plan.metadata, rouse: { ...Object.fromEntries(kept), ...metadata } };
}

const variablesOf = ({ env = {} }: PlannedAdditions) =>
  Object.entries(env).map(([name, value]) => ({ mode: 'literal' as const, name, value }));
