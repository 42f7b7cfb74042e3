import { describe, expect, it } from 'vitest';
import type { GatewayClient } from '../client/index.ts';
import { Postman } from './post.ts';

/** Members whose gateways write down what they are asked to send; `refuses` is one that takes nothing. */
function members(names: string[], refuses = '') {
  const taken: string[] = [];
  const of = (name: string) => ({
    name,
    address: `${name}@houmao.localhost`,
    gateway: {
      call: async (_: string, { body }: { body: { to: string[] } }) => {
        if (name === refuses) throw new Error('the disk is full');
        taken.push(`${name} ${body.to.join()}`);
      },
    } as unknown as GatewayClient,
  });
  return { taken, team: names.map(of) };
}

describe('the postman of the demo', () => {
  it.each([[2], [3], [5]])(
    'each of %i members writes to every other member, and none to itself',
    async (many) => {
      const { taken, team } = members(['ana', 'ben', 'cleo', 'dan', 'eve'].slice(0, many));
      const post = new Postman(team);
      for (let n = 1; n <= 40; n++) {
        await post.send();
        expect(taken.length).toBe(n);
      }
      for (const line of taken) expect(line).not.toMatch(/^(\w+) \1@/);
      expect(new Set(taken).size).toBe(many * (many - 1));
    },
  );

  it('the demo shows why a message was refused, and continues', async () => {
    const { team } = members(['ana', 'ben', 'cleo'], 'ben');
    const post = new Postman(team);
    for (let n = 0; n < 2; n++) await post.send();
    expect(post.last).toBe('ben → cleo: release notes was not sent: the disk is full');
    await post.send();
    expect(post.last).toBe('cleo → ana: review of the parser');
  });
});
