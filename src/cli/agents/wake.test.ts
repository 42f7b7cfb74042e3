import { describe, expect, it } from 'vitest';
import type { ManifestFacts } from '../../session/index.ts';
import { equipmentLine } from './wake.ts';

const line = (rouse: object): string => {
  const document = { launch_plan: { metadata: { rouse } } };
  return equipmentLine({ facts: { agentName: 'ana', document } as unknown as ManifestFacts });
};

describe('the line that launch and join end with', () => {
  it.each([
    [{}, 'no mail tools'],
    [{ mcp_door: 'http', mcp: { allowed: true } }, 'mail tools by MCP'],
    [{ mcp_door: 'extension' }, 'mail tools by an extension'],
    [{ mcp_door: 'http', mcp: { allowed: false } }, 'mail tools by MCP, not allowed beforehand'],
  ])('says how the mail tools are given: %j', (noted, words) => {
    expect(line(noted).split(' · ').slice(1)).toEqual([words]);
  });
});
