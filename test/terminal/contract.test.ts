import { afterAll, beforeAll } from 'vitest';
import { surfaceContract } from '../../src/terminal/surface.contract.ts';
import { ScriptedHouse } from '../scripted/agent-in-tmux.ts';
import { Desk } from './desk.ts';

let house: ScriptedHouse;
beforeAll(async () => {
  house = await ScriptedHouse.open();
});
afterAll(() => house.close());

surfaceContract('a TUI in tmux', async () => {
  const desk = await new Desk(house, { flags: ['--turn', '50ms'] }).open();
  await desk.ready();
  return {
    surface: desk.surface,
    received: () => desk.records('submitted').map(({ text }) => String(text)),
    setBusy: async (busy) => {
      await desk.control.send(busy ? 'busy' : 'end-turn', busy ? { ms: 600_000 } : {});
      await desk.until((observation) => (busy ? observation.busy : observation.ready));
    },
    close: () => desk.close(),
  };
});
