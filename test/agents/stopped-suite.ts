import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { readConversation } from '../../src/terminal/index.ts';
import { AGENT, AgentUnderTest } from './support/agent-under-test.ts';
import { findInstalled } from './support/installed-tool.ts';
import type { RealTool } from './support/real-tools.ts';

/** A tool that was stopped in order, and is launched again with the same words. */
export function describeStopped(tool: RealTool, { headless = false } = {}): void {
  const installed = findInstalled(tool.tool);
  const what = `${tool.tool}${headless ? ' without a screen' : ''}, stopped and launched again`;
  describe(what, () => {
    let agent: AgentUnderTest;

    beforeAll(async () => {
      agent = await new AgentUnderTest(tool, installed).open();
    });
    afterAll(async () => {
      await agent.close();
    });

    const launch = (...flags: string[]) =>
      agent.launch(headless ? tool.headless : [], ...(headless ? ['--headless'] : []), ...flags);
    const ready = async (): Promise<void> => {
      if (!headless) await agent.started();
    };
    const turn = async (prompt: string): Promise<number> => {
      onTestFailed(() => console.error(JSON.stringify(agent.model.log.slice(-5), null, 1)));
      await agent.turn(prompt);
      return agent.model.prompts().findLast((each) => each.prompt.includes(prompt))!.answers;
    };
    const stop = async (): Promise<void> => {
      const { code, stderr } = await agent.world.rouse(['stop', AGENT]);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
    };

    it(`${what}, goes on with its conversation; with --fresh it begins another`, async () => {
      const first = await launch();
      await ready();
      expect(await turn('A first word.')).toBe(0);
      const root = String(first['session_root']);
      const known = (): string | undefined => readConversation(root);
      if (!headless) await agent.world.until(() => known() !== undefined);
      const before = known();
      await stop();
      const back = await launch();
      expect(back).toMatchObject({ brought_back: true, resumed: true, session_root: root });
      await ready();
      // The history that the tool itself kept is what it sends to its model.
      expect(await turn('A second word.')).toBeGreaterThan(0);
      if (!headless) expect(known()).toBe(before);
      await stop();
      const fresh = await launch('--fresh');
      expect(fresh['session_root']).not.toBe(root);
      await ready();
      expect(await turn('A word of another conversation.')).toBe(0);
      await stop();
    });
  });
}
