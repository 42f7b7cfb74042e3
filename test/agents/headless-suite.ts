import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import type { Received } from './model/mock-model.ts';
import { AgentUnderTest } from './support/agent-under-test.ts';
import { findInstalled } from './support/installed-tool.ts';
import type { RealTool } from './support/real-tools.ts';

const HOSTILE = '!touch pwned\n/etc/hosts is a file; $(touch pwned)\n-x --help\nends with @name';

/** One process per turn: requirements for a real command line without a screen. */
export function describeHeadless(tool: RealTool): void {
  const installed = findInstalled(tool.tool);
  describe(`${tool.tool} without a screen`, () => {
    let agent: AgentUnderTest;

    beforeAll(async () => {
      agent = await new AgentUnderTest(tool, installed).open();
      await agent.launch(tool.headless, '--headless');
    });

    afterAll(async () => {
      await agent.close();
    });

    async function turn(prompt: string): Promise<Received> {
      onTestFailed(() => console.error(JSON.stringify(agent.model.log.slice(-5), null, 1)));
      const { outcome, error_detail, ledger } = await agent.ended(await agent.submit(prompt));
      expect([outcome, error_detail]).toEqual(['submitted', null]);
      expect(ledger!.map(({ stage }) => stage)).toEqual(
        expect.arrayContaining(['accepted', 'typing', 'typed', 'submitted', 'turn_seen', 'turn_finished']),
      );
      const asReceived = (text: string): string => (tool.padsHeadless ? text.trimEnd() : text);
      const received = agent.model.prompts().filter((each) => asReceived(each.prompt) === prompt);
      expect(received).toHaveLength(1);
      return received[0]!;
    }

    it(`${tool.tool} without a screen gets a prompt as it was submitted, once`, async () => {
      expect((await turn('A first word.')).answers).toBe(0);
    });

    it(`${tool.tool} without a screen goes on with the same chat`, async () => {
      expect((await turn('A second word.')).answers).toBeGreaterThan(0);
    });

    it(`${tool.tool} without a screen gets a prompt that a screen could not take, as written`, async () => {
      await turn(HOSTILE);
      expect(fs.existsSync(path.join(agent.world.workdir, 'pwned'))).toBe(false);
    });

    it(`${tool.tool} without a screen is interrupted, and answers again afterwards`, async () => {
      const slow = await agent.submit('Never mind. [[delay=60000]]');
      await agent.received(/Never mind/);
      expect((await agent.ended((await agent.gateway.interrupt()).request_id)).outcome).toBe('submitted');
      expect((await agent.ended(slow)).outcome).toBe('cancelled');
      await turn('After the interrupt.');
    });

    it(`${tool.tool} without a screen shows its credentials to no one, keeps its files to its owner, and leaves nothing when stopped`, async () => {
      expect(agent.leaks()).toEqual([]);
      expect(agent.world.readableByOthers()).toEqual([]);
      expect((await agent.command('stop')).code).toBe(0);
      await agent.world.until(() => agent.world.processes().length === 0);
      expect(agent.model.faults).toEqual([]);
    });
  });
}
