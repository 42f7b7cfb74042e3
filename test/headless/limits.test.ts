import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reasonTexts } from '../../src/domain/index.ts';
import { HeadlessWorld } from './headless-world.ts';
import { withAgent } from './open-agent.ts';

let world: HeadlessWorld;
beforeAll(async () => {
  world = await HeadlessWorld.open();
});
afterAll(() => world.close());

/** A tool that fails with these words on standard error as long as the file is there, and then answers. */
function limitedTool(directory: string, words: string): { executable: string; allow: () => void } {
  fs.mkdirSync(directory, { recursive: true });
  const [limit, executable] = [path.join(directory, 'limit'), path.join(directory, 'tool')];
  fs.writeFileSync(limit, words);
  const answer = '{"type":"result","subtype":"success","result":"done","session_id":"s-1"}';
  fs.writeFileSync(
    executable,
    `#!/bin/sh\ncat > /dev/null\nif [ -e '${limit}' ]; then cat '${limit}' >&2; exit 1; fi\necho '${answer}'\n`,
    { mode: 0o755 },
  );
  return { executable, allow: () => fs.rmSync(limit) };
}

describe('a headless agent at a usage limit', () => {
  it('a headless agent whose turn a usage limit ended is held, also by another gateway, and a turn that ends well frees it', async () => {
    const { executable, allow } = limitedTool(
      path.join(world.directory, 'limited'),
      "Error: You've hit your usage limit. Try again in 2h.\n",
    );
    const session = world.session({ tool: 'claude', executable });
    fs.mkdirSync(path.join(session.root, 'launch'));
    await withAgent(session, async (agent) => {
      expect(await agent.deliver('count')).toMatchObject({ outcome: 'failed' });
      const { limit, ready, reasons } = agent.surface.observation();
      expect(limit).toMatchObject({ cut: true, over: false, stays: false });
      expect([ready, reasonTexts(reasons)]).toEqual([
        false,
        [expect.stringMatching(/^usage_limit='until \d{4}-/)],
      ]);
      const { outcome, untouched } = await agent.deliver('again');
      expect([outcome, untouched]).toEqual(['not_ready', true]);
    });
    allow();
    await withAgent(session, async (agent) => {
      expect(agent.surface.observation().ready).toBe(false);
      expect(await agent.deliver('a person wants it now', { policy: 'always' })).toMatchObject({
        outcome: 'submitted',
      });
      expect(agent.surface.observation()).toMatchObject({ ready: true, reasons: [] });
      expect(agent.surface.observation().limit).toBeUndefined();
    });
  });

  it.each([
    ['a limit per minute', 'Error: 429 Rate limit reached for gpt-5 on tokens per minute (TPM)\n'],
    ['a missing login', 'Please run /login · API Error: 401 Invalid credentials\n'],
  ])('a headless agent is not held for %s', async (_, words) => {
    const { executable } = limitedTool(path.join(world.directory, `not-${words.length}`), words);
    await withAgent(world.session({ tool: 'claude', executable }), async (agent) => {
      expect(await agent.deliver('count')).toMatchObject({ outcome: 'failed' });
      expect(agent.surface.observation()).toMatchObject({ ready: true, reasons: [] });
    });
  });

  it('a headless agent is not held for what its model writes in a turn that ends well', async () => {
    await withAgent(world.session(), async (agent) => {
      const words = "You've hit your session limit · resets in 5 hours";
      expect(await agent.deliver(`[[say=${words}]]`)).toMatchObject({ outcome: 'submitted' });
      expect(agent.surface.observation()).toMatchObject({ ready: true, reasons: [] });
    });
  });
});
