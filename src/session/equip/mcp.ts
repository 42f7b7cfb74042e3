import * as fs from 'node:fs';
import * as path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  conflict,
  ensurePrivateDirectory,
  invalid,
  readIfExists,
  unsupported,
  writeFileAtomic,
} from '../../base/index.ts';
import { agentTokenFile, ensureAgentToken } from '../../client/index.ts';
import { LOOPBACK } from '../../domain/index.ts';
import {
  MCP_NAME,
  MCP_VARIABLES,
  type McpAddress,
  type McpEntry,
  mcpConfigFile,
  mcpJsonDocument,
  mcpJsonEntry,
  mcpTomlPairs,
  type SessionMcp,
  type ToolMcp,
  toolNames,
  toolOf,
} from '../../tools/index.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';
import { pathOf } from '../../wire/place.ts';
import { MCP_HTTP_PLACES } from '../../wire/places.ts';
import { packageRoot } from './programs.ts';

export interface McpConfig {
  tool: string;
  /** The tool's home directory. Default: as its own variable says, or below the person's home. */
  home?: string | undefined;
  env: NodeJS.ProcessEnv;
  entry: McpEntry;
}

export interface McpInstallation {
  file: string;
  /** What the file had before. */
  was: 'absent' | 'other' | 'same';
}

/** Returns our part of the file. */
export function shownMcpConfig(config: McpConfig): { file: string; text: string } {
  const { file, mcp, format } = placeOf(config);
  return { file, text: format === 'toml' ? block(config.entry) : mcpJsonDocument(mcp, config.entry) };
}

export interface McpEdit extends McpInstallation {
  /** The content of the file now; undefined if there is none. */
  before: string | undefined;
  text: string;
}

/** Returns what adding our server would make of the tool's own configuration. Writes nothing. */
export function planMcp(config: McpConfig): McpEdit {
  const { mcp, format, ...place } = placeOf(config);
  const file = followed(place.file);
  const before = readIfExists(file);
  const { text, was } =
    format === 'toml'
      ? editToml(before ?? '', file, config.entry)
      : editJson(before ?? '', file, mcpJsonEntry(mcp, config.entry));
  return { file, was, before, text };
}

/** Adds our server to the tool's own configuration and changes nothing else there. Repeating it changes nothing. */
export function installMcp(config: McpConfig): McpInstallation {
  const { file, was, before, text } = planMcp(config);
  if (text !== before) writeConfig(file, text);
  return { file, was };
}

/** Keeps the file's mode. A new file is readable by its owner only. */
export function writeConfig(file: string, text: string): void {
  ensurePrivateDirectory(path.dirname(file));
  const mode = fs.statSync(file, { throwIfNoEntry: false })?.mode;
  writeFileAtomic(file, text, { mode: mode === undefined ? 0o600 : mode & 0o777 });
}

interface McpPlace {
  file: string;
  format: 'json' | 'toml';
  mcp: ToolMcp;
}

function placeOf({ tool: name, home, env }: McpConfig): McpPlace {
  const tool = toolOf(name);
  const format = tool?.mcp?.config?.format;
  if (!tool?.mcp || !format) {
    const known = toolNames(({ mcp }) => mcp?.config).join(', ');
    throw unsupported(`${name} is not known to take MCP servers`, { hint: `known: ${known}` });
  }
  const file = mcpConfigFile(tool, { home, env });
  if (file) return { file, format, mcp: tool.mcp };
  throw invalid('HOME is not set', { hint: 'name the home of the tool with --home' });
}

/** If the file is a link, returns its target, so that the link stays. */
function followed(file: string): string {
  return fs.existsSync(file) ? fs.realpathSync(file) : file;
}

type Edited = { text: string; was: McpInstallation['was'] };

function editJson(before: string, file: string, { member, value }: ReturnType<typeof mcpJsonEntry>): Edited {
  const document = parseObject(before.trim() === '' ? '{}' : before, file);
  const servers = document[member] ?? {};
  if (!isObject(servers)) throw byHand(file, `"${member}" is not an object`);
  const current = servers[MCP_NAME];
  if (isDeepStrictEqual(current, value)) return { text: before, was: 'same' };
  const after = { ...document, [member]: { ...servers, [MCP_NAME]: value } };
  return { text: `${JSON.stringify(after, null, 2)}\n`, was: current === undefined ? 'absent' : 'other' };
}

function parseObject(text: string, file: string): Record<string, unknown> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw byHand(file, 'it is not plain JSON (comments would be lost)');
  }
  if (!isObject(document)) throw byHand(file, 'it is not a JSON object');
  return document;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const HEADER = /^\s*\[/;
const OUR_HEADER = new RegExp(`^\\s*\\[\\s*mcp_servers\\s*\\.\\s*"?${MCP_NAME}"?\\s*(\\.[^\\]]*)?\\]`);
/** Other TOML spellings of the same settings, which are not edited here. */
const OTHER_WAY = new RegExp(
  `^\\s*(mcp_servers\\s*=|mcp_servers\\s*\\.\\s*"?${MCP_NAME}"?\\b|\\[\\s*mcp_servers\\s*\\])`,
  'm',
);

function editToml(before: string, file: string, entry: McpEntry): Edited {
  if (before.includes(block(entry))) return { text: before, was: 'same' };
  if (OTHER_WAY.test(before)) throw byHand(file, 'it sets mcp_servers in a way that is not edited here');
  const rest = splitTables(before).others.join('\n').trimEnd();
  return {
    text: `${rest && `${rest}\n\n`}${block(entry)}`,
    was: rest === before.trimEnd() ? 'absent' : 'other',
  };
}

/**
 * Returns a configuration that was edited since, without our server. Undefined if the entry is no longer that of this
 * session, or cannot be removed without loss.
 */
export function withoutMcp(
  { tool, manifest }: { tool: string; manifest: string },
  now: string,
  before: string | undefined,
): string | undefined {
  const mcp = toolOf(tool)?.mcp;
  try {
    return mcp?.config?.format === 'toml'
      ? tomlWithout(now, manifest, before)
      : jsonWithout(now, manifest, { before, member: mcp?.member ?? 'mcpServers' });
  } catch {
    return undefined;
  }
}

function jsonWithout(
  now: string,
  manifest: string,
  { before = '{}', member }: { before: string | undefined; member: string },
): string | undefined {
  const [document, first] = [now, before].map((text) => parseObject(text, '')) as [
    Record<string, unknown>,
    Record<string, unknown>,
  ];
  const { [MCP_NAME]: ours, ...others } = document[member] as Record<string, unknown>;
  if (!JSON.stringify(ours ?? '').includes(JSON.stringify(manifest))) return undefined;
  const theirs = first[member] as Record<string, unknown> | undefined;
  const servers = { ...others, ...(theirs?.[MCP_NAME] !== undefined && { [MCP_NAME]: theirs[MCP_NAME] }) };
  const { [member]: _, ...rest } = document;
  const after = theirs || Object.keys(servers).length > 0 ? { ...document, [member]: servers } : rest;
  return `${JSON.stringify(after, null, 2)}\n`;
}

function tomlWithout(now: string, manifest: string, before = ''): string | undefined {
  const { others, ours } = splitTables(now);
  const known = ours.join('\n').includes(JSON.stringify(manifest));
  return known && splitTables(before).ours.length === 0 ? `${others.join('\n').trimEnd()}\n` : undefined;
}

/** Splits the lines into those of our server's tables and all others. */
function splitTables(text: string): { others: string[]; ours: string[] } {
  const [others, ours]: [string[], string[]] = [[], []];
  let isOurs = false;
  for (const line of text.split('\n')) {
    if (HEADER.test(line)) isOurs = OUR_HEADER.test(line);
    (isOurs ? ours : others).push(line);
  }
  return { others, ours };
}

function block(entry: McpEntry): string {
  const lines = mcpTomlPairs(entry).map(([key, value]) => `${key} = ${value}`);
  return `[mcp_servers.${MCP_NAME}]\n${lines.join('\n')}\n`;
}

function byHand(file: string, why: string): Error {
  return conflict(`${file} is left as it is: ${why}`, {
    hint: '"rouse mcp install --tool TOOL --print" shows what to put there by hand',
    facts: { cause: 'config_not_editable', file },
  });
}

/** `rouse mcp` of this installation for one agent. Only paths, because the token is in a file beside the manifest. */
export function mcpEntryOf(
  agent: { manifest: string; agentId: string },
  env: Readonly<Record<string, string | undefined>>,
): McpEntry {
  const known = MCP_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []));
  return {
    command: process.execPath,
    args: [path.join(packageRoot(), 'dist', 'rouse.cjs'), 'mcp'],
    env: {
      ...(Object.fromEntries(known) as Record<string, string>),
      [VARIABLE.manifestPath]: agent.manifest,
      [VARIABLE.agentId]: agent.agentId,
    },
  };
}

/** The same for the agent in whose session the tool runs. For the configuration that all sessions share. */
export function sharedMcpEntry(): McpEntry {
  return { command: path.join(packageRoot(), 'bin', 'rouse'), args: ['mcp'], env: {} };
}

export interface EquippedAgent {
  root: string;
  manifest: string;
  agentId: string;
  hasMailbox: boolean;
  /** It belongs to a fleet, so it has requests. */
  isMember: boolean;
  /** The port of the gateway that runs now, or will before the tool starts. It then serves the tools. */
  gatewayPort: number | undefined;
  /** The tools may be used without asking a person. */
  allowed: boolean;
}

/** Our tools for one agent: mail, reminders and requests, as far as it has them. Undefined if it has none. */
export async function sessionMcp(
  agent: EquippedAgent,
  env: Readonly<Record<string, string | undefined>>,
): Promise<SessionMcp | undefined> {
  const { root, gatewayPort: port, hasMailbox: mail, isMember: tickets } = agent;
  const { describeTools } = await import('../../mcp/tool-list.ts');
  const tools = describeTools({ mail, tickets, reminders: port !== undefined });
  if (tools.length === 0) return undefined;
  return {
    program: mcpEntryOf(agent, env),
    http: port === undefined ? undefined : addressOf(root, port),
    tools,
    allowed: agent.allowed,
  };
}

const addressOf = (root: string, port: number): McpAddress => ({
  url: `http://${LOOPBACK}:${port}${pathOf(MCP_HTTP_PLACES.mcp)}`,
  token: ensureAgentToken(root),
  tokenFile: agentTokenFile(root),
});

const ANSWER_MS = 10_000;

/**
 * Whether the gateway at this port serves the agent's tools. This first request also makes it load what it needs, because
 * a tool asks only once and waits only a few seconds.
 */
export async function servesTools(root: string, port: number): Promise<boolean> {
  const { url, token } = addressOf(root, port);
  try {
    const { status, body } = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    await body?.cancel();
    return status === 200;
  } catch {
    return false;
  }
}
