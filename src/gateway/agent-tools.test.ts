import { describe, expect, it } from 'vitest';
import type { SessionManifest } from '../wire/index.ts';
import { agentTools } from './agent-tools.ts';

const HERE = 'http://127.0.0.1:21001';
const manifest = (rouse: object): SessionManifest =>
  ({ tool: 'copilot', launch_plan: { metadata: { rouse } } }) as unknown as SessionManifest;
const names = (rouse: object, baseUrl: string | undefined = HERE, instance = '7-70') =>
  agentTools(manifest(rouse), baseUrl, instance).mail?.('list');

describe('what an agent has of our tools', () => {
  const served = { mcp_door: 'http', mcp_server: 'rouse', mcp_url: `${HERE}/mcp` };

  it('is what the launch gave it, by the name its model sees', () => {
    expect(names(served)).toBe('rouse-mail_list');
    expect(names({ mcp_door: 'stdio', mcp_server: 'rouse_1a2b' })).toBe('rouse_1a2b-mail_list');
    expect(names({})).toBeUndefined();
  });

  it('is nothing while its gateway listens elsewhere, or serves no mail', () => {
    for (const baseUrl of ['http://127.0.0.1:21002', undefined]) {
      const { mail, elsewhere } = agentTools(manifest(served), baseUrl, '7-70');
      expect([mail, elsewhere]).toEqual([undefined, true]);
    }
    expect(agentTools(manifest(served), HERE, null).elsewhere).toBe(false);
    expect(agentTools(manifest({ mcp_door: 'stdio', mcp_server: 'rouse' }), undefined, null).elsewhere).toBe(
      false,
    );
  });

  it('is what a join put into its configuration, once the tool was started again', () => {
    const placed = { mcp: { server: 'rouse', instance_before: '7-70' } };
    expect(names({ placed })).toBeUndefined();
    expect(names({ placed }, HERE, '8-90')).toBe('rouse-mail_list');
    expect(agentTools(manifest({ placed }), HERE, null).mail).toBeUndefined();
  });
});
