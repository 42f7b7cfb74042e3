import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedHouse } from '../scripted/agent-in-tmux.ts';
import { Desk } from './desk.ts';

let house: ScriptedHouse;
beforeAll(async () => {
  house = await ScriptedHouse.open();
});
afterAll(() => house.close());

async function strangerAt(skin: string, calibrate: boolean): Promise<Desk> {
  const desk = new Desk(house, { flags: ['--skin', skin], surface: { calibrate } });
  desk.manifest.tool = 'a-tool-nobody-described';
  desk.manifest.runtime = { agent_pid: await desk.begin() };
  return desk.open();
}

describe('calibration of an unknown tool', () => {
  it.each(['guillemet', 'ascii', 'boxed', 'plain'])(
    'calibration of an unknown tool finds the composer of the skin %s, leaves nothing behind, and prompts then arrive',
    async (skin) => {
      const desk = await strangerAt(skin, true);
      await desk.ready();
      expect(await desk.control.send('status')).toMatchObject({ draft: { bytes: 0 } });
      const result = await desk.surface.deliver(desk.prompt('a prompt for an unknown tool'));
      expect(result, JSON.stringify(result)).toMatchObject({ outcome: 'submitted' });
      expect(desk.records('submitted').map(({ text }) => text)).toEqual(['a prompt for an unknown tool']);
      await desk.close();
    },
  );

  it('calibration of an unknown tool only happens on request', async () => {
    const desk = await strangerAt('plain', false);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(desk.surface.observation()).toMatchObject({ ready: false });
    expect(desk.control.events.filter(({ type }) => type === 'draft')).toEqual([]);
    await desk.close();
  });

  it('calibration lets an unknown version be read as its neighbours are, once a mark has shown that it can', async () => {
    const desk = new Desk(house, { flags: ['--skin', 'gemini-like'] });
    desk.manifest.launch_policy_provenance = { detected_tool_version: '5000.0.0' };
    desk.manifest.runtime = { agent_pid: await desk.begin() };
    await desk.open();
    await desk.ready();
    expect(await desk.control.send('status')).toMatchObject({ draft: { bytes: 0 } });
    const result = await desk.surface.deliver(desk.prompt('a prompt for a later version'));
    expect(result, JSON.stringify(result)).toMatchObject({ outcome: 'submitted' });
    expect(desk.records('submitted').map(({ text }) => text)).toEqual(['a prompt for a later version']);
    await desk.close();
  });

  it('calibration of an unknown tool types nothing into a dialog', async () => {
    const desk = new Desk(house, { surface: { calibrate: true } });
    desk.manifest.tool = 'a-tool-nobody-described';
    desk.manifest.runtime = { agent_pid: await desk.begin() };
    await desk.control.send('open-dialog', { kind: 'permission' });
    await desk.open();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(desk.records('key_in_dialog')).toEqual([]);
    expect(desk.surface.observation()).toMatchObject({ ready: false });
    await desk.close();
  });
});
