import { afterEach, describe, expect, it, onTestFailed } from 'vitest';
import { doMail, gaveUp, orderToWrite } from './round/do-mail.ts';
import { AgentUnderTest, dialogOf } from './support/agent-under-test.ts';
import { findInstalled } from './support/installed-tool.ts';
import type { RealTool } from './support/real-tools.ts';

/** Our tools are allowed in advance, but what the person denied stays denied. */
export function describeDenied(tool: RealTool): void {
  const installed = findInstalled(tool.tool);
  describe(`${tool.tool}, denied a mail tool by a person`, () => {
    let agent: AgentUnderTest;
    afterEach(() => agent.close());

    it.each(Object.entries(tool.deny ?? {}))(
      `${tool.tool}, asked not to use a mail tool, neither uses it nor asks for it: %s`,
      async (_, deny) => {
        agent = await new AgentUnderTest(tool, installed).open({ stock: true });
        onTestFailed(() => console.error(agent.screen(), JSON.stringify(agent.model.log.slice(-5), null, 1)));
        agent.model.script = doMail;
        const args = deny('mail_send', { home: agent.world.directory });
        await agent.launch(args, '--wake');
        await agent.started();
        await agent.submit(orderToWrite(agent.address, 'denied'));
        await agent.world.until(async () => {
          const dialog = dialogOf(await agent.gateway.tuiState());
          expect(dialog?.kind ?? 'unknown', JSON.stringify(dialog)).toBe('unknown');
          return agent.model.log.some(gaveUp);
        });
        const { messages } = await agent.gateway.call('mail.list', { body: { box: 'inbox' } });
        expect(messages).toEqual([]);
      },
    );
  });
}
