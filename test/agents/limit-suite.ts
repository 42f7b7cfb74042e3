import * as fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { RESUME_PROMPT } from '../../src/gateway/resume-after-limit.ts';
import type { Received } from './model/mock-model.ts';
import { REFUSALS } from './model/refusals.ts';
import { AGENT, AgentUnderTest } from './support/agent-under-test.ts';
import { findInstalled } from './support/installed-tool.ts';
import { actOnMail, isWake } from './support/mail-actor.ts';
import type { RealTool } from './support/real-tools.ts';

const SENDER = 'ben@houmao.localhost';
const LIMIT_MS = 50_000;
const PATIENCE = { timeout: 600_000 };

export interface LimitedTool {
  tool: RealTool;
  /** Makes it an agent with a subscription. */
  env?: Record<string, string>;
  /** The vendor's refusal until the limit ends. */
  limit: keyof typeof REFUSALS;
  /** The prompt with which the tool continues by itself when the limit has ended. */
  continues?: RegExp;
  /** Refusals that are not a usage limit, and what Rouse says instead. */
  others: [refusal: keyof typeof REFUSALS, reason: RegExp][];
}

/** A real command line that its vendor refuses, in the vendor's own words. */
export function describeLimited({ tool, env = {}, limit, continues, others }: LimitedTool): void {
  const installed = findInstalled(tool.tool);
  describe(`${tool.tool} at a usage limit`, () => {
    let agent: AgentUnderTest;

    beforeAll(async () => {
      agent = await new AgentUnderTest(tool, installed).open();
      for (const [name, value] of Object.entries(env)) {
        if (value === '') delete agent.world.env[name];
        else agent.world.env[name] = value;
      }
      agent.model.script = actOnMail;
      await agent.launch(tool.mailing);
      await agent.started();
      await succeeds('mailbox', 'register', '--address', SENDER, '--principal-id', 'ben');
      const { code, stderr } = await agent.command(
        ...['gateway', 'mail-notifier', 'enable', '--interval-seconds', '3600', '--park', 'resume'],
      );
      expect([code, stderr]).toEqual([0, expect.any(String)]);
    });

    afterAll(async () => {
      await agent.close();
    });

    async function succeeds(...words: string[]): Promise<void> {
      const { code, stderr } = await agent.world.rouse(words);
      if (code !== 0) throw new Error(stderr);
    }

    const showOnFailure = (): void =>
      onTestFailed(async () => {
        const { submit_ready, not_ready_reasons } = await agent.gateway.tuiState();
        console.error(agent.screen(), submit_ready, not_ready_reasons);
        console.error(JSON.stringify(agent.model.log.slice(-8), null, 1));
      });

    /** Refuses everything until then; returns that time on the clock of the model's log. */
    function refuseFor(refusal: keyof typeof REFUSALS, ms: number): number {
      const untilMs = Date.now() + ms;
      agent.model.refuse = () => (Date.now() < untilMs ? REFUSALS[refusal](untilMs) : undefined);
      return performance.now() + ms;
    }

    const reasons = async (): Promise<string> => {
      const { not_ready_reasons } = await agent.gateway.tuiState();
      return (not_ready_reasons ?? []).join(' ');
    };
    const prompts = (is: (prompt: string) => boolean, from: number): Received[] =>
      agent.model.prompts().filter(({ at, prompt }) => at >= from && is(prompt));

    it(
      `${tool.tool} is parked until its limit ends: nothing is typed before, and a waiting wake once after it`,
      PATIENCE,
      async () => {
        showOnFailure();
        const begun = performance.now();
        const endsAt = refuseFor(limit, LIMIT_MS);
        await agent.begin('Please count the files.');
        await agent.world.until(async () => /usage_limit='until /.test(await reasons()));
        expect(await reasons()).not.toMatch(/dialog|draft|menu|credits/);
        const { json: sent } = await agent.world.rouse([
          ...['mail', 'send', '--print-json', '--address', SENDER, '--to', `${AGENT}@houmao.localhost`],
          ...['--subject', 'limited', '--body-content', 'Please.'],
        ]);
        const body = { message_ref: String(sent['message']['message_ref']) };
        const { stdout } = await agent.world.rouse(['ls']);
        expect(stdout).toMatch(/limited until /);
        const { pid } = await agent.gateway.health();
        process.kill(pid!, 'SIGKILL');
        await agent.world.until(() => !fs.existsSync(`/proc/${pid}`));
        await agent.attach();
        expect(await agent.world.until(reasons)).toMatch(/usage_limit='until /);
        await agent.world.until(
          async () => (await agent.gateway.call('mail.peek', { body })).message.archived,
        );
        await agent.ready();
        const isOurs = (prompt: string): boolean => isWake(prompt) || prompt === RESUME_PROMPT;
        const typed = prompts(isOurs, begun);
        expect(typed.map(({ prompt }) => isWake(prompt))).toEqual([true]);
        expect(typed[0]!.at).toBeGreaterThan(endsAt);
        if (continues) {
          const byItself = prompts((prompt) => continues.test(prompt), begun);
          expect(byItself).toHaveLength(1);
          expect(byItself[0]!.at).toBeLessThan(typed[0]!.at);
        }
        expect((await agent.gateway.tuiState()).submit_ready).toBe(true);
      },
    );

    it(
      `${tool.tool}, cut by a usage limit with nothing else to do, goes on exactly once`,
      PATIENCE,
      async () => {
        showOnFailure();
        const begun = performance.now();
        const endsAt = refuseFor(limit, LIMIT_MS);
        await agent.begin('Please count them again.');
        await agent.world.until(async () => /usage_limit='until /.test(await reasons()));
        const goesOn = (prompt: string): boolean =>
          continues ? continues.test(prompt) : prompt === RESUME_PROMPT;
        await agent.world.until(() => prompts(goesOn, begun).some(({ open }) => !open));
        await agent.ready();
        const after = prompts(() => true, endsAt);
        expect(after.map(({ prompt }) => goesOn(prompt))).toEqual([true]);
      },
    );

    it.each(others)(`${tool.tool} refused with %s is not parked`, PATIENCE, async (refusal, reason) => {
      showOnFailure();
      refuseFor(refusal, 15_000);
      await agent.begin(`Please count them for ${refusal}.`);
      await agent.world.until(async () => reason.test(await reasons()));
      expect(await reasons()).not.toContain('usage_limit');
      await agent.world.until(() => agent.model.refuse({} as Received) === undefined);
      // A person prompts it in its window.
      if (!(await agent.gateway.tuiState()).submit_ready && !/busy|active/.test(reason.source)) {
        agent.types('Go on.');
        await agent.state(({ surface }) => surface.editing_input === 'yes');
        agent.keys('Enter');
      }
      await agent.ready();
    });
  });
}
