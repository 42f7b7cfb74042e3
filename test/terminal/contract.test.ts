import { afterAll, beforeAll } from 'vitest';
import { surfaceContract } from '../../src/terminal/surface.contract.ts';
import { ScriptedWorld } from '../scripted/scripted-world.ts';
import { TestPane } from './test-pane.ts';

let world: ScriptedWorld;
beforeAll(async () => {
  world = await ScriptedWorld.open();
});
afterAll(() => world.close());

surfaceContract('a TUI in tmux', async () => {
  const pane = await new TestPane(world, { flags: ['--turn', '50ms'] }).open();
  await pane.ready();
  return {
    surface: pane.surface,
    received: () => pane.records('submitted').map(({ text }) => String(text)),
    setBusy: async (busy) => {
      await pane.control.send(busy ? 'busy' : 'end-turn', busy ? { ms: 600_000 } : {});
      await pane.until((observation) => (busy ? observation.busy : observation.ready));
    },
    close: () => pane.close(),
  };
});
