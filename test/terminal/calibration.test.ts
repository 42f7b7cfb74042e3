import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedWorld } from '../scripted/scripted-world.ts';
import { TestPane } from './test-pane.ts';

let world: ScriptedWorld;
beforeAll(async () => {
  world = await ScriptedWorld.open();
});
afterAll(() => world.close());

async function strangerAt(skin: string, calibrate: boolean): Promise<TestPane> {
  const pane = new TestPane(world, { flags: ['--skin', skin], surface: { calibrate } });
  pane.manifest.tool = 'a-tool-without-description';
  pane.manifest.runtime = { agent_pid: await pane.begin() };
  return pane.open();
}

describe('calibration of an unknown tool', () => {
  it.each(['guillemet', 'ascii', 'boxed', 'plain'])(
    'calibration of an unknown tool finds the composer of the skin %s, leaves nothing behind, and prompts then arrive',
    async (skin) => {
      const pane = await strangerAt(skin, true);
      await pane.ready();
      expect(await pane.control.send('status')).toMatchObject({ draft: { bytes: 0 } });
      const result = await pane.surface.deliver(pane.prompt('a prompt for an unknown tool'));
      expect(result, JSON.stringify(result)).toMatchObject({ outcome: 'submitted' });
      expect(pane.records('submitted').map(({ text }) => text)).toEqual(['a prompt for an unknown tool']);
      await pane.close();
    },
  );

  it('calibration of an unknown tool only happens on request', async () => {
    const pane = await strangerAt('plain', false);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(pane.surface.observation()).toMatchObject({ ready: false });
    expect(pane.control.events.filter(({ type }) => type === 'draft')).toEqual([]);
    await pane.close();
  });

  it('calibration lets an unknown version be read as its neighbours are, once a mark has shown that it can', async () => {
    const pane = new TestPane(world, { flags: ['--skin', 'gemini-like'] });
    pane.manifest.launch_policy_provenance = { detected_tool_version: '5000.0.0' };
    pane.manifest.runtime = { agent_pid: await pane.begin() };
    await pane.open();
    await pane.ready();
    expect(await pane.control.send('status')).toMatchObject({ draft: { bytes: 0 } });
    const result = await pane.surface.deliver(pane.prompt('a prompt for a later version'));
    expect(result, JSON.stringify(result)).toMatchObject({ outcome: 'submitted' });
    expect(pane.records('submitted').map(({ text }) => text)).toEqual(['a prompt for a later version']);
    await pane.close();
  });

  it('calibration of an unknown tool types nothing into a dialog', async () => {
    const pane = new TestPane(world, { surface: { calibrate: true } });
    pane.manifest.tool = 'a-tool-without-description';
    pane.manifest.runtime = { agent_pid: await pane.begin() };
    await pane.control.send('open-dialog', { kind: 'permission' });
    await pane.open();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(pane.records('key_in_dialog')).toEqual([]);
    expect(pane.surface.observation()).toMatchObject({ ready: false });
    await pane.close();
  });
});
