import * as fs from 'node:fs';
import * as path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Ending } from '../../src/base/index.ts';
import { type CliAgent, cliAgent } from '../support/cli-agent.ts';
import { TestMcpClient } from './mcp-client.ts';

describe('rouse mcp install', () => {
  const ending = new Ending();
  let agent: CliAgent;
  beforeAll(async () => {
    agent = await cliAgent(ending);
  });
  afterAll(() => ending.run());

  async function toolsOf(
    command: string,
    args: string[],
    env: Record<string, string>,
  ): Promise<TestMcpClient> {
    const transport = new StdioClientTransport({
      command,
      args,
      env: { PATH: process.env['PATH']!, ...env },
    });
    return new TestMcpClient().connect(transport);
  }

  it.each([
    ['gemini', '.gemini/settings.json'],
    ['kimi', '.kimi-code/mcp.json'],
    ['copilot', '.copilot/mcp-config.json'],
    ['claude', '.claude.json'],
  ])(
    'rouse mcp install writes for %s what starts a server of that agent, without a secret',
    async (tool, name) => {
      const done = await agent.json(['mcp', 'install', '--tool', tool, '--agent-name', 'gpu']);
      expect(done).toMatchObject({ tool, file: path.join(agent.home, name), was: 'absent' });
      const text = fs.readFileSync(done.file, 'utf8');
      expect(text).not.toContain('rouse_');
      const { command, args, env } = JSON.parse(text).mcpServers.rouse;
      const client = await toolsOf(command, args, env);
      try {
        // No gateway runs, so the store itself is used.
        expect((await client.call('mail_status')).json).toMatchObject({ execution_path: 'manager_direct' });
      } finally {
        await client.close();
      }
      expect((await agent.rouse(['mcp', 'install', '--tool', tool, '--agent-name', 'gpu'])).out).toMatch(
        /^unchanged/,
      );
    },
  );

  it('rouse mcp install writes for opencode, as opencode wants it, what serves whichever session it runs in', async () => {
    const done = await agent.json(['mcp', 'install', '--tool', 'opencode']);
    const { type, command, environment } = JSON.parse(fs.readFileSync(done.file, 'utf8')).mcp.rouse;
    expect([type, environment]).toEqual(['local', {}]);
    const manifest = path.join(agent.sessionRoot, 'manifest.json');
    const client = await toolsOf(command[0], command.slice(1), {
      HOME: agent.home,
      HOUMAO_MANIFEST_PATH: manifest,
    });
    try {
      expect((await client.call('mail_status')).isError).toBe(false);
    } finally {
      await client.close();
    }
  });

  it('rouse mcp install --print only shows what it would write', async () => {
    const { out } = await agent.rouse(['mcp', 'install', '--tool', 'codex', '--print']);
    expect(out).toMatch(/^# \S+\/\.codex\/config\.toml\n\[mcp_servers\.rouse\]\ncommand = "/);
    expect(fs.existsSync(path.join(agent.home, '.codex'))).toBe(false);
  });

  it.each<[string, string[], number, RegExp]>([
    ['no tool', [], 2, /--tool/],
    ['a tool without MCP', ['--tool', 'pi'], 2, /claude, codex/],
    ['an agent that is not there', ['--tool', 'codex', '--agent-name', 'nobody'], 3, /nobody/],
    ['a blank home', ['--tool', 'codex', '--home', ' '], 2, /blank/],
  ])('rouse mcp install refuses %s', async (_what, args, code, message) => {
    const result = await agent.rouse(['mcp', 'install', ...args]);
    expect(result.code).toBe(code);
    expect(result.err).toMatch(message);
  });
});
