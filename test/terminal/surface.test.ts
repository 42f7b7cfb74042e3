import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentHouse } from '../scripted/agent-in-tmux.ts';
import { Desk } from './desk.ts';

let house: AgentHouse;
beforeAll(async () => {
  house = await AgentHouse.open();
});
afterAll(() => house.close());

describe('the lane', () => {
  it('types a prompt into a ready agent and proves it', async () => {
    const desk = await new Desk(house).open();
    await desk.ready();
    const prompt = desk.prompt('hello there, agent');
    const result = await desk.surface.deliver(prompt);
    expect(result).toMatchObject({ outcome: 'submitted', reasons: [] });
    expect(desk.records('submitted')).toMatchObject([{ text: 'hello there, agent' }]);
    await expect
      .poll(() => prompt.told.map(({ stage }) => stage))
      .toEqual(['typing', 'typed', 'submitted', 'turn_seen', 'turn_finished']);
    await desk.close();
  });
});
