import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type SessionMcp, type SessionPlace, toolOf } from '../../tools/index.ts';
import { additionsFor, type PlannedAdditions } from './launch-plan.ts';

const directory = '/session';
const place = (): SessionPlace => ({
  root: directory,
  launchDir: path.join(directory, 'launch'),
  signalsDir: path.join(directory, 'signals'),
  agentName: 'gpu',
  headless: false,
  args: [],
  env: {},
  workdir: '/work',
  home: undefined,
  read: () => undefined,
  entries: () => [],
  mcp: undefined,
});

const program = { command: '/node', args: ['/rouse.cjs', 'mcp'], env: { HOUMAO_MANIFEST_PATH: '/m' } };
const named = (name: string) => ({ name, title: name, description: name, input: { type: 'object' } });
const http = { url: 'http://127.0.0.1:20001/mcp', token: 'secret', tokenFile: '/s/mcp/token' };
const mcp: SessionMcp = {
  program,
  http,
  tools: [named('mail_list'), named('mail_send')],
  allowed: true,
};
const withFiles = (files: Record<string, string>, more: Partial<SessionPlace> = {}): SessionPlace => ({
  ...place(),
  mcp,
  env: { HOME: '/home/ana' },
  read: (file) => files[file],
  entries: (directory) =>
    Object.keys(files)
      .filter((file) => path.dirname(file) === directory)
      .map((file) => path.basename(file)),
  ...more,
});
const added = (tool: string, at: SessionPlace) => additionsFor(toolOf(tool)!, at);
const fileOf = ({ files }: PlannedAdditions, name: string) =>
  JSON.parse(files.find((each) => each.path.endsWith(name))!.content);

it.each(['claude', 'codex', 'gemini', 'opencode', 'kimi', 'qwen', 'copilot', 'pi', 'scripted'])(
  '%s gets our tools in its own way, and no settings without them',
  (tool) => {
    const without = added(tool, place());
    expect(JSON.stringify(without)).not.toMatch(/mcp|rouse-pi/);
    const remote = added(tool, withFiles({}));
    expect(remote.metadata).toMatchObject({
      mcp_door: tool === 'pi' ? 'extension' : 'http',
      mcp_server: 'rouse',
      mcp_url: http.url,
    });
    const local = added(tool, withFiles({}, { mcp: { ...mcp, http: undefined } }));
    expect(local.metadata).toMatchObject({ mcp_door: tool === 'pi' ? 'extension' : 'stdio' });
    expect(local.metadata).not.toHaveProperty('mcp_url');
    // No secret in an argument, nor in a variable that is kept.
    expect(JSON.stringify([remote.args, remote.env, remote.metadata])).not.toContain('secret');
  },
);

it('claude gets our tools in every request, each allowed by its name, before the settings', () => {
  const here = added('claude', withFiles({}));
  expect(here.args.slice(0, 4)).toEqual([
    ...['--mcp-config', expect.stringMatching(/mcp\.json$/)],
    ...['--allowedTools', 'mcp__rouse__mail_list,mcp__rouse__mail_send'],
  ]);
  expect(here.args[4]).toBe('--settings');
  expect(fileOf(here, 'mcp.json').mcpServers.rouse).toEqual({
    ...{ type: 'http', url: http.url, alwaysLoad: true },
    headers: { Authorization: 'Bearer secret' },
  });
  const asking = added('claude', withFiles({}, { mcp: { ...mcp, allowed: false } }));
  expect(asking.args).not.toContain('--allowedTools');
});

it('codex gets a unique server name, the token by its environment, and each tool approved by its name', () => {
  const here = added('codex', withFiles({}));
  expect(here.args.filter((each) => each !== '-c')).toEqual([
    `mcp_servers.rouse.url="${http.url}"`,
    'mcp_servers.rouse.bearer_token_env_var="ROUSE_MCP_TOKEN"',
    'mcp_servers.rouse.tools={mail_list={approval_mode="approve"},mail_send={approval_mode="approve"}}',
  ]);
  expect(here.passingEnv).toEqual({ ROUSE_MCP_TOKEN: 'secret' });
  const config = '/home/ana/.codex/config.toml';
  for (const theirs of [
    '[mcp_servers.rouse]\ncommand = "x"\n',
    '[mcp_servers."rouse"]\ncommand = "x"\n',
    'mcp_servers.rouse.url = "x"\n',
  ]) {
    const server = added('codex', withFiles({ [config]: theirs })).metadata?.['mcp_server'];
    expect(server, theirs).toMatch(/^rouse_[0-9a-f]{4}$/);
  }
  const given = withFiles({}, { args: ['-c', 'mcp_servers.rouse.url="x"'] });
  expect(added('codex', given).metadata?.['mcp_server']).toMatch(/^rouse_/);
  const others = withFiles({ [config]: '[mcp_servers.rouser]\ncommand = "x"\n' });
  expect(added('codex', others).metadata?.['mcp_server']).toBe('rouse');
  const denied = '[mcp_servers.rouse]\nurl = "x"\nenabled = false\n[tui]\n';
  expect(added('codex', withFiles({ [config]: denied })).declined).toMatch(/disables/);
  const elsewhere = '[mcp_servers.rouse]\nurl = "x"\n[mcp_servers.other]\nenabled = false\n';
  expect(added('codex', withFiles({ [config]: elsewhere })).declined).toBeUndefined();
  const local = added('codex', withFiles({}, { mcp: { ...mcp, http: undefined } }));
  expect(local.args).toEqual(
    expect.arrayContaining([
      'mcp_servers.rouse.command="/node"',
      'mcp_servers.rouse.env={ HOUMAO_MANIFEST_PATH = "/m" }',
    ]),
  );
});

describe('opencode', () => {
  const contentOf = ({ env, passingEnv }: PlannedAdditions) =>
    JSON.parse((env?.['OPENCODE_CONFIG_CONTENT'] ?? passingEnv?.['OPENCODE_CONFIG_CONTENT'])!);
  const CONFIG = '/home/ana/.config/opencode/opencode.jsonc';

  it('opencode gets our tools by a variable that the person does not use, or by theirs, which is stored nowhere', () => {
    const here = added('opencode', withFiles({}));
    expect(contentOf(here).mcp.rouse).toMatchObject({ type: 'remote', url: http.url, oauth: false });
    expect(here.passingEnv).toEqual({ ROUSE_MCP_TOKEN: 'secret' });
    const env = { HOME: '/home/ana', OPENCODE_CONFIG_CONTENT: '{"model":"m","mcp":{"own":{}}}' };
    const second = added('opencode', withFiles({}, { env }));
    expect(second.env).toEqual({ OPENCODE_CONFIG: second.files[0]!.path });
    const both = added('opencode', withFiles({}, { env: { ...env, OPENCODE_CONFIG: '/mine' } }));
    expect(both.env).toEqual({});
    expect(contentOf(both)).toMatchObject({ model: 'm', mcp: { own: {}, rouse: { url: http.url } } });
  });

  it.each([
    ['no rule', undefined, []],
    ['a rule that asks for everything', '{ "permission": { "*": "ask" } }', ['mail_list', 'mail_send']],
    ['one word that asks', '{ "permission": "ask" }', ['mail_list', 'mail_send']],
    ['a rule for other tools', '{ "permission": { "bash": "ask" } }', []],
    ['a deny of one', '{ "permission": { "*": "ask", "rouse_mail_send": "deny" } }', ['mail_list']],
    ['a deny of all of ours', '{ "permission": { "rouse_*": "deny" } }', []],
    ['a deny before an ask', '{ "permission": { "rouse_*": "deny", "*": "ask" } }', []],
    ['comments', '{ // mine\n "permission": { "*": "ask", }, }', ['mail_list', 'mail_send']],
    ['what cannot be read', '{ "permission": { "*": "ask" ', []],
  ])('opencode with %s overrides no deny rule of the person', (_what, text, allowed) => {
    const here = added('opencode', withFiles(text === undefined ? {} : { [CONFIG]: text }));
    const names = Object.keys(contentOf(here).permission ?? {});
    expect(names).toEqual(allowed.map((name) => `rouse_${name}`));
    const asking = withFiles(text === undefined ? {} : { [CONFIG]: text }, {
      mcp: { ...mcp, allowed: false },
    });
    expect(contentOf(added('opencode', asking)).permission).toBeUndefined();
  });

  it('opencode has none of our tools if the person switched our server off', () => {
    const off = '{ "mcp": { "rouse": { "type": "local", "command": ["x"], "enabled": false } } }';
    expect(added('opencode', withFiles({ [CONFIG]: off })).declined).toMatch(/disables/);
  });
});

it('qwen and copilot get only our own tools allowed', () => {
  const qwen = added('qwen', withFiles({}));
  expect(qwen.args).toEqual(['--mcp-config', qwen.files[0]!.path]);
  expect(fileOf(qwen, 'mcp.json').mcpServers.rouse).toEqual({
    ...{ httpUrl: http.url, headers: { Authorization: 'Bearer secret' } },
    ...{ alwaysLoadTools: true, includeTools: ['mail_list', 'mail_send'], trust: true },
  });
  const copilot = added('copilot', withFiles({}));
  expect(copilot.args).toEqual([
    ...['--additional-mcp-config', `@${copilot.files[0]!.path}`],
    ...['--allow-tool=rouse(mail_list)', '--allow-tool=rouse(mail_send)'],
  ]);
  expect(fileOf(copilot, 'mcp.json').mcpServers.rouse.tools).toEqual(['mail_list', 'mail_send']);
  const asked = { mcp: { ...mcp, allowed: false } };
  expect(fileOf(added('qwen', withFiles({}, asked)), 'mcp.json').mcpServers.rouse.trust).toBeUndefined();
  expect(added('copilot', withFiles({}, asked)).args.join(' ')).not.toContain('--allow-tool');
});

it.each([
  ['gemini', '.gemini/settings.json', 'GEMINI_CLI_HOME', '.gemini'],
  ['kimi', '.kimi-code/mcp.json', 'KIMI_CODE_HOME', ''],
])(
  '%s gets a home of this session, which leads to its own but for one file',
  (tool, file, variable, inside) => {
    const directory = path.join('/home/ana', path.dirname(file));
    const theirs = '{ "mcpServers": { "own": { "command": "x" } }, "theme": "dark" }';
    const here = added(
      tool,
      withFiles({ [`/home/ana/${file}`]: theirs, [`${directory}/oauth_creds.json`]: '{}' }),
    );
    const home = here.env![variable]!;
    expect(home.startsWith(place().launchDir)).toBe(true);
    const ours = path.join(home, inside);
    expect(here.files[0]!.path).toBe(path.join(ours, path.basename(file)));
    expect(JSON.parse(here.files[0]!.content)).toMatchObject({
      theme: 'dark',
      mcpServers: { own: { command: 'x' }, rouse: { headers: { Authorization: 'Bearer secret' } } },
    });
    expect(here.links).toContainEqual({
      path: path.join(ours, 'oauth_creds.json'),
      target: path.join(directory, 'oauth_creds.json'),
    });
    expect(here.links!.map((link) => link.path)).not.toContain(here.files[0]!.path);
    const other = added(tool, withFiles({}, { home: '/srv/home' }));
    expect(other.links![0]!.target.startsWith('/srv/home')).toBe(true);
    const odd = added(tool, withFiles({ [`/home/ana/${file}`]: 'theme: dark' }));
    expect([odd.declined, odd.env]).toEqual([expect.stringMatching(/is not JSON/), undefined]);
  },
);

it('gemini allows our tools by a policy beside the person’s own, which outweigh it', () => {
  const rules = (files: Record<string, string>, more: object = {}) => {
    const { args, files: made } = added('gemini', withFiles(files, more));
    const policy = made.find(({ path: file }) => file.endsWith('policy.toml'));
    return { args, policy, paths: JSON.parse(made[0]!.content).policyPaths };
  };
  const alone = rules({});
  expect(alone.policy!.content).toBe(
    '[[rule]]\nmcpName = "rouse"\ntoolName = ["mail_list","mail_send"]\ndecision = "allow"\npriority = 0\n',
  );
  expect([alone.args, alone.paths]).toEqual([[], [alone.policy!.path]]);
  const own = rules({ '/home/ana/.gemini/policies/mine.toml': '' });
  expect(own.paths).toEqual(['/home/ana/.gemini/policies', own.policy!.path]);
  const named = rules({ '/home/ana/.gemini/settings.json': '{ "policyPaths": ["/p"] }' });
  expect(named.paths).toEqual(['/p', named.policy!.path]);
  const flagged = rules({}, { args: ['--policy', '/p'] });
  expect(flagged.args).toEqual(['--policy', flagged.policy!.path]);
  const asked = rules({}, { mcp: { ...mcp, allowed: false } });
  expect([asked.policy, asked.paths]).toEqual([undefined, undefined]);
});

it.each([
  ['claude', '/home/ana/.claude.json'],
  ['qwen', '/home/ana/.qwen/settings.json'],
  ['copilot', '/home/ana/.copilot/mcp-config.json'],
  ['gemini', '/home/ana/.gemini/settings.json'],
  ['kimi', '/home/ana/.kimi-code/mcp.json'],
])("%s keeps a person's server of our name beside ours, unless it is ours", (tool, file) => {
  const servers = (rouse: object) => JSON.stringify({ mcpServers: { rouse } });
  const theirs = withFiles({ [file]: servers({ command: 'cowboy', args: [] }) });
  expect(added(tool, theirs).metadata?.['mcp_server']).toMatch(/^rouse_[0-9a-f]{4}$/);
  const ours = withFiles({ [file]: servers({ command: '/opt/rouse/bin/rouse', args: ['mcp'] }) });
  expect(added(tool, ours).metadata?.['mcp_server']).toBe('rouse');
});

it('the manifest records how a tool reaches our tools, and its settings for them', () => {
  const { metadata, args } = added('copilot', withFiles({}));
  expect(metadata).toMatchObject({
    mcp_door: 'http',
    mcp_server: 'rouse',
    mcp: { allowed: true, args, env: [] },
  });
});

it.each([
  ['claude', 'mcp__rouse__mail_list'],
  ['codex', 'mcp__rouse.mail_list'],
  ['gemini', 'mcp_rouse_mail_list'],
  ['opencode', 'rouse_mail_list'],
  ['kimi', 'mcp__rouse__mail_list'],
  ['qwen', 'mcp__rouse__mail_list'],
  ['copilot', 'rouse-mail_list'],
  ['pi', 'rouse_mail_list'],
])('the model of %s sees our tool as %s', (name, seen) => {
  expect(toolOf(name)!.mcp!.modelName('rouse', 'mail_list')).toBe(seen);
});
