import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import type { RequestView } from '../../src/wire/index.ts';
import { startByHand, toolGone, toolPids } from '../support/by-hand.ts';
import { AGENT, AgentUnderTest } from './support/agent-under-test.ts';
import { findInstalled } from './support/installed-tool.ts';
import { actOnMail, isWake } from './support/mail-actor.ts';
import type { RealTool } from './support/real-tools.ts';

const SENDER = 'ben@houmao.localhost';

/** A tool that was left or killed, and is started again by a person in the same pane. */
export function describeStartedAgain(tool: RealTool): void {
  const installed = findInstalled(tool.tool);
  describe(`${tool.tool}, started again by hand`, () => {
    let agent: AgentUnderTest;

    beforeAll(async () => {
      agent = await new AgentUnderTest(tool, installed).open({ stock: true });
      tool.allowsMailByHand?.(agent.world.directory);
      agent.model.script = actOnMail;
      await agent.launch(tool.mailing);
      await agent.started();
      const { code, stderr } = await agent.world.rouse([
        ...['mailbox', 'register', '--address', SENDER, '--principal-id', 'ben'],
      ]);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      await agent.command('gateway', 'mail-notifier', 'enable', '--interval-seconds', '3600');
    });

    afterAll(async () => {
      await agent.close();
    });

    beforeEach(() => {
      onTestFailed(async () => {
        const { requests } = await agent.gateway.call('requests.list', { limit: 3 });
        const ledgers = requests.map(({ request_id }) => agent.gateway.getRequest(request_id));
        console.error(agent.screen(), JSON.stringify(await Promise.all(ledgers), null, 1));
        console.error(JSON.stringify(agent.model.log.slice(-5), null, 1));
      });
    });

    const wakes = (): string[] =>
      agent.model.prompts().flatMap(({ prompt }) => (isWake(prompt) ? [prompt] : []));

    /** Mail wakes it once: the model received it once, and the ledger says so and names the proof. */
    async function wakesOnce(subject: string): Promise<string> {
      const before = wakes().length;
      const { json, code, stderr } = await agent.world.rouse([
        ...['mail', 'send', '--print-json', '--address', SENDER, '--to', `${AGENT}@houmao.localhost`],
        ...['--subject', subject, '--body-content', 'Please.'],
      ]);
      if (code !== 0) throw new Error(stderr);
      const body = { message_ref: String(json['message']['message_ref']) };
      await agent.world.until(async () => (await agent.gateway.call('mail.peek', { body })).message.archived);
      const wake = await lastWake();
      await agent.finished(wake.request_id);
      await agent.ready();
      expect(wakes()).toHaveLength(before + 1);
      const { outcome, ledger } = await agent.gateway.getRequest(wake.request_id);
      const proofs = ledger!.filter(({ stage }) => stage === 'submitted');
      expect([outcome, proofs.length]).toEqual(['submitted', 1]);
      expect(tool.provenBy).toContain(proofs[0]!.source);
      return wakes().at(-1)!;
    }

    async function lastWake(): Promise<RequestView> {
      const { decisions } = await agent.gateway.call('notifier.decisions', { limit: 20 });
      const id = decisions.find(({ outcome }) => outcome === 'enqueued')!.enqueued_request_id!;
      return agent.ended(id);
    }

    /** As a person does: repeated until the tool is gone. */
    async function leave(keys: string[]): Promise<void> {
      const isCommand = keys.includes(tool.leaveCommand);
      const gone = (): boolean => toolGone(agent.world, agent.pane);
      const soon = async (ms: number): Promise<void> => {
        const since = Date.now();
        await agent.world.until(() => gone() || Date.now() - since > ms);
      };
      while (!gone()) {
        agent.keys(...keys);
        await soon(isCommand ? 1_000 : 600);
        if (!isCommand) continue;
        agent.keys('Enter');
        await soon(10_000);
        if (!gone()) agent.keys('C-u');
      }
    }

    async function startAgain(): Promise<void> {
      const words = [tool.tool, ...(tool.allowsMailByHand ? [] : tool.mailing)];
      await startByHand(agent.world, agent.pane, words);
      await agent.started();
    }

    it(`${tool.tool}, started again by hand, is woken once by mail as it was launched, with its mail tools`, async () => {
      expect(await wakesOnce('launched')).toContain('Use your mail tools');
    });

    const leaves: [how: string, keys: string[]][] = [
      ['its own command', ['-l', '--', tool.leaveCommand]],
      // Some tools expect the second one soon after the first.
      ['Ctrl-C', ['C-c', 'C-c']],
    ];

    it.each(leaves)(
      `${tool.tool}, started again by hand, is woken once by each mail after it was left by %s, without mail tools`,
      async (how, keys) => {
        await leave(keys);
        await startAgain();
        for (const subject of [how, `${how}, again`])
          expect(await wakesOnce(subject)).not.toContain('Use your mail tools');
        const { json } = await agent.world.rouse(['agents', 'list', '--print-json']);
        expect(JSON.stringify(json)).toContain('started by hand: no mail tools');
      },
    );

    it(`${tool.tool}, started again by hand, is woken once by each mail after it was killed`, async () => {
      for (const pid of toolPids(agent.world, agent.pane)) process.kill(pid, 'SIGKILL');
      await agent.world.until(() => toolGone(agent.world, agent.pane));
      await startAgain();
      for (const subject of ['killed', 'killed, again']) await wakesOnce(subject);
      expect(agent.model.faults).toEqual([]);
      expect(fs.existsSync(path.join(agent.world.workdir, 'pwned'))).toBe(false);
    });

    it(`${tool.tool}, started again by hand, is woken once by mail after a relaunch, with its mail tools`, async () => {
      await agent.relaunch();
      await agent.started();
      expect(await wakesOnce('relaunched')).toContain('Use your mail tools');
    });
  });
}
