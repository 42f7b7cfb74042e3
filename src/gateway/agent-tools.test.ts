import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SessionManifest } from '../wire/index.ts';
import { agentTools } from './agent-tools.ts';

const HERE = 'http://127.0.0.1:21001';
const manifest = (rouse: object): SessionManifest =>
  ({ tool: 'copilot', launch_plan: { metadata: { rouse } } }) as unknown as SessionManifest;
const names = (rouse: object, baseUrl: string | undefined = HERE, instance = '7-70') =>
  agentTools(manifest(rouse), { baseUrl, instanceId: instance }).mail?.('list');

describe('what an agent has of our tools', () => {
  const served = { mcp_door: 'http', mcp_server: 'rouse', mcp_url: `${HERE}/mcp` };

  it('an agent has the tools that its launch passed, by the names its model sees', () => {
    expect(names(served)).toBe('rouse-mail_list');
    expect(names({ mcp_door: 'stdio', mcp_server: 'rouse_1a2b' })).toBe('rouse_1a2b-mail_list');
    expect(names({})).toBeUndefined();
  });

  it('an agent has no tools of ours while its gateway listens elsewhere, or serves no mail', () => {
    for (const baseUrl of ['http://127.0.0.1:21002', undefined]) {
      const { mail, elsewhere } = agentTools(manifest(served), { baseUrl, instanceId: '7-70' });
      expect([mail, elsewhere]).toEqual([undefined, true]);
    }
    expect(agentTools(manifest(served), { baseUrl: HERE, instanceId: null }).elsewhere).toBe(false);
    expect(
      agentTools(manifest({ mcp_door: 'stdio', mcp_server: 'rouse' }), {
        baseUrl: undefined,
        instanceId: null,
      }).elsewhere,
    ).toBe(false);
  });

  it('an agent has the tools that a join put into its configuration, once its tool was restarted', () => {
    const placed = { mcp: { server: 'rouse', instance_before: '7-70' } };
    expect(names({ placed })).toBeUndefined();
    expect(names({ placed }, HERE, '8-90')).toBe('rouse-mail_list');
    expect(agentTools(manifest({ placed }), { baseUrl: HERE, instanceId: null }).mail).toBeUndefined();
  });

  const given = {
    ...{
      mcp_door: 'http',
      mcp_server: 'rouse',
      mcp_url: `${HERE}/mcp`,
      mcp_token_variable: 'ROUSE_MCP_TOKEN',
    },
    mcp: { args: ['--mcp-config', '/s/mcp.json'], env: ['TOOL_HOME'] },
  };

  async function instanceOf(words: string[], env: Record<string, string>): Promise<string> {
    const process = spawn('/bin/sh', ['-c', 'echo up; read x', ...words], {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    onTestFinished(() => void process.kill('SIGKILL'));
    await once(process.stdout!, 'data');
    return `${process.pid}-1`;
  }

  const ask = async (words: string[], env: Record<string, string>): Promise<[boolean, boolean]> => {
    const launch_env = [{ mode: 'literal', name: 'TOOL_HOME', value: '/s/home' }];
    const known = {
      ...manifest(given),
      agent_launch_authority: { launch_env },
    } as unknown as SessionManifest;
    const { mail, missing } = agentTools(known, { baseUrl: HERE, instanceId: await instanceOf(words, env) });
    return [mail !== undefined, missing];
  };

  it('an agent has the tools that its process was started with, and none if a person started it', async () => {
    const words = ['--mcp-config', '/s/mcp.json', '--model', 'x'];
    const env = { TOOL_HOME: '/s/home', ROUSE_MCP_TOKEN: 't' };
    expect(await ask(words, env)).toEqual([true, false]);
    expect(await ask([], env)).toEqual([false, true]);
    expect(await ask(words, { ...env, TOOL_HOME: '/home/me' })).toEqual([false, true]);
    expect(await ask(words, { TOOL_HOME: '/s/home' })).toEqual([false, true]);
  });

  it('an agent has the tools of its launch although its process hides its command line behind a title', async () => {
    const instanceId = await instanceOf([], {});
    const launched = [Number.parseInt(instanceId, 10)];
    expect(agentTools(manifest(given), { baseUrl: HERE, instanceId, launched }).missing).toBe(false);
    expect(agentTools(manifest(given), { baseUrl: HERE, instanceId, launched: [1] }).missing).toBe(true);
  });

  it('an agent whose process cannot be inspected has the tools that its launch recorded', () => {
    expect(agentTools(manifest(given), { baseUrl: HERE, instanceId: '999999999-1' }).missing).toBe(false);
    expect(agentTools(manifest(given), { baseUrl: HERE, instanceId: null }).missing).toBe(false);
  });
});
