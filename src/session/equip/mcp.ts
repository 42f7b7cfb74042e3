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
  /** The tool's home directory; absent: as its own variable says, or below the person's home. */
  home?: string | undefined;
  env: NodeJS.ProcessEnv;
  entry: McpEntry;
}

export interface McpInstallation {
  file: string;
  /** What was found in it before. */
  was: 'absent' | 'other' | 'same';
}

/** The part of the file that is ours. */
export function shownMcpConfig(config: McpConfig): { file: string; text: string } {
  const { file, mcp, format } = placeOf(config);
  return { file, text: format === 'toml' ? block(config.entry) : mcpJsonDocument(mcp, config.entry) };
}

export interface McpEdit extends McpInstallation {
  /** What the file holds now; undefined when there is none. */
  before: string | undefined;
  text: string;
}

/** What putting our server into the tool's own configuration would make of it. Nothing is written. */
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

/** Puts our server into the tool's own configuration and leaves all else there as it is; twice changes nothing more. */
export function installMcp(config: McpConfig): McpInstallation {
  const { file, was, before, text } = planMcp(config);
  if (text !== before) writeConfig(file, text);
  return { file, was };
}

/** As private as it was, or as only its owner may read it. */
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

/** The file may be a link; the link stays. */
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
/** The same said in other ways TOML allows, which are not taken apart here. */
const OTHER_WAY = new RegExp(
  `^\\s*(mcp_servers\\s*=|mcp_servers\\s*\\.\\s*"?${MCP_NAME}"?\\b|\\[\\s*mcp_servers\\s*\\])`,
  'm',
);

function editToml(before: string, file: string, entry: McpEntry): Edited {
  if (before.includes(block(entry))) return { text: before, was: 'same' };
  if (OTHER_WAY.test(before)) throw byHand(file, 'it sets mcp_servers in a way that is not edited here');
  const rest = apart(before).kept.join('\n').trimEnd();
  return {
    text: `${rest && `${rest}\n\n`}${block(entry)}`,
    was: rest === before.trimEnd() ? 'absent' : 'other',
  };
}

/**
 * A configuration that was edited since our server was put there, without it: as it was before, or not at all. Undefined
 * when it is not that of this session any more, or cannot be taken out without loss.
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
  const { kept, taken } = apart(now);
  const known = taken.join('\n').includes(JSON.stringify(manifest));
  return known && apart(before).taken.length === 0 ? `${kept.join('\n').trimEnd()}\n` : undefined;
}

/** The lines of our server's tables, and all others. */
function apart(text: string): { kept: string[]; taken: string[] } {
  const [kept, taken]: [string[], string[]] = [[], []];
  let ours = false;
  for (const line of text.split('\n')) {
    if (HEADER.test(line)) ours = OUR_HEADER.test(line);
    (ours ? taken : kept).push(line);
  }
  return { kept, taken };
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

/** `rouse mcp` of this installation for one agent. Paths only: its token is beside its manifest. */
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

/** The same for whichever agent's session the tool runs in: for the configuration that all sessions share. */
export function sharedMcpEntry(): McpEntry {
  return { command: path.join(packageRoot(), 'bin', 'rouse'), args: ['mcp'], env: {} };
}

export interface EquippedAgent {
  root: string;
  manifest: string;
  agentId: string;
  hasMailbox: boolean;
  /** Belongs to a fleet, and so has requests. */
  isMember: boolean;
  /** Of the gateway that lives, or will before the tool starts; its tools are then served there. */
  gatewayPort: number | undefined;
  /** Without a question. */
  allowed: boolean;
}

/** Our tools for one agent: what it has of mail, reminders and requests. Undefined when that is nothing. */
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
 * Whether the gateway at this port answers with the agent's tools. The first question makes it load what it needs for that, so
 * that a tool, which may wait a few seconds and asks only once, is answered at once.
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
