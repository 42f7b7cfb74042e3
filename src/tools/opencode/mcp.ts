import * as path from 'node:path';
import { looseJson } from '../loose-json.ts';
import {
  freeServerName,
  jsonText,
  MCP_START_MS,
  MCP_TOKEN_VARIABLE,
  membersOf,
  ownServerName,
  toolNamesIn,
} from '../mcp.ts';
import type { McpAdditions, McpEntry, SessionMcp, SessionPlace } from '../tool.ts';

const CONTENT = 'OPENCODE_CONFIG_CONTENT';
const FILE = 'OPENCODE_CONFIG';

export const opencodeToolName = (server: string, tool: string): string => `${server}_${tool}`;

/** The entry of a server that opencode starts. */
export const localEntry = ({ command, args, env }: McpEntry): object => ({
  type: 'local',
  command: [command, ...args],
  environment: env,
  enabled: true,
});

/**
 * Two variables add configuration to the person's own. The first one that they do not use is set; if they use both, ours
 * is merged into theirs for this start.
 */
export function opencodeSession(mcp: SessionMcp, place: SessionPlace): McpAdditions {
  const documents = personsDocuments(place);
  const servers = Object.assign({}, ...documents.map((each) => membersOf(each, 'mcp'))) as object;
  const theirs = membersOf(servers, 'rouse');
  if (theirs['enabled'] === false)
    return { declined: 'the configuration of opencode disables its server "rouse"' };
  const server = freeServerName(place, installed(servers)) === 'rouse' ? 'rouse' : ownServerName(place);
  const permission = mcp.allowed ? allowedBeforehand(documents, server, mcp) : {};
  const entry = mcp.http
    ? {
        type: 'remote',
        url: mcp.http.url,
        enabled: true,
        oauth: false,
        timeout: MCP_START_MS,
        headers: { Authorization: `Bearer {env:${MCP_TOKEN_VARIABLE}}` },
      }
    : localEntry(mcp.program);
  const ours = {
    mcp: { [server]: entry },
    ...(Object.keys(permission).length > 0 && { permission }),
  };
  const base = {
    server,
    args: [],
    files: [],
    ...(mcp.http ? { door: 'http' as const, tokenVariable: MCP_TOKEN_VARIABLE } : { door: 'stdio' as const }),
  };
  if (!place.env[CONTENT]) return { ...base, env: { [CONTENT]: JSON.stringify(ours) } };
  if (!place.env[FILE]) {
    const file = path.join(place.launchDir, 'opencode.json');
    return { ...base, files: [{ path: file, content: jsonText(ours) }], env: { [FILE]: file } };
  }
  const content = looseJson(place.env[CONTENT]);
  if (content === null || typeof content !== 'object') return { declined: `${CONTENT} is not JSON` };
  const merged = { ...content, mcp: { ...membersOf(content, 'mcp'), ...ours.mcp } };
  return { ...base, passingEnv: { [CONTENT]: JSON.stringify(merged) } };
}

/** What `rouse mcp install` writes, in the shape of other tools. */
function installed(servers: object): object {
  const { rouse } = servers as { rouse?: { command?: unknown } };
  const words = Array.isArray(rouse?.command) ? (rouse.command as unknown[]) : undefined;
  return rouse === undefined ? {} : { rouse: words ? { command: words[0], args: words.slice(1) } : rouse };
}

/** The person's documents, in the order in which opencode reads them; undefined for one that cannot be parsed. */
function personsDocuments(place: SessionPlace): unknown[] {
  const { env, workdir } = place;
  const home = env['XDG_CONFIG_HOME'] || path.join(env['HOME'] ?? '/', '.config');
  const directories = [
    path.join(home, 'opencode'),
    workdir,
    path.join(workdir, '.opencode'),
    env['OPENCODE_CONFIG_DIR'],
  ];
  const inDirectory = (directory: string): string[] =>
    ['config.json', 'opencode.json', 'opencode.jsonc'].map((name) => path.join(directory, name));
  const files = [...directories.flatMap((each) => (each ? inDirectory(each) : [])), env[FILE]];
  const texts = [...files.map((file) => file && place.read(file)), env[CONTENT]];
  const rules = env['OPENCODE_PERMISSION'];
  return [
    ...texts.filter((text) => text !== undefined && text !== '').map((text) => looseJson(text!)),
    ...(rules ? [{ permission: looseJson(rules) }] : []),
  ];
}

/**
 * By default opencode does not ask about our tools. If the person's rules ask, ours are allowed by name. Tools that those
 * rules deny stay denied, although opencode would let us override that, and rules that cannot be parsed are left alone.
 */
function allowedBeforehand(documents: unknown[], server: string, mcp: SessionMcp): Record<string, 'allow'> {
  if (documents.some((each) => each === null || typeof each !== 'object')) return {};
  const rules = documents.flatMap((each) => rulesOf((each as { permission?: unknown }).permission));
  const names = toolNamesIn(mcp).map((name) => opencodeToolName(server, name));
  const asked = names.filter((name) => {
    const actions = rules.filter(([pattern]) => matches(pattern, name)).map(([, action]) => action);
    return actions.at(-1) === 'ask' && !actions.includes('deny');
  });
  return Object.fromEntries(asked.map((name) => [name, 'allow' as const]));
}

function rulesOf(permission: unknown): [string, unknown][] {
  if (typeof permission === 'string') return [['*', permission]];
  return permission !== null && typeof permission === 'object' ? Object.entries(permission) : [];
}

function matches(pattern: string, name: string): boolean {
  const words = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${words.join('.*')}$`).test(name);
}
