import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprint, SKINS, type Skin } from '../support/scripted-agent.ts';
import { type AgentPane, ScriptedWorld } from './scripted-world.ts';

let world: ScriptedWorld;
beforeAll(async () => {
  world = await ScriptedWorld.open();
});
afterAll(() => world.close());

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const skins = [...SKINS.values()];

async function seesDraft(pane: AgentPane, skin: Skin, draft: string): Promise<void> {
  await pane.shows(new RegExp(`${escaped(skin.border.beside[0] + skin.glyph)}${escaped(draft)}`));
  const facts = `${skin.screen === 'alternate' ? 1 : 0} ${skin.cursor === 'visible' ? 1 : 0}`;
  await pane.shows(new RegExp(`^${facts}$`), () => pane.fact('#{alternate_on} #{cursor_flag}'));
}

describe('skins', () => {
  it('there are at least twelve skins, no two alike', () => {
    expect(skins.length).toBeGreaterThanOrEqual(12);
    expect(new Set(skins.map((skin) => JSON.stringify({ ...skin, name: '', summary: '' }))).size).toBe(
      skins.length,
    );
  });

  it('skins change while the agent runs, and keep the draft; the placeholder shows only without one', async () => {
    const pane = await world.start();
    for (const skin of skins) {
      const before = pane.control.mark;
      await pane.press('C-u');
      await pane.control.event('draft', (event) => event['empty'] === true, before);
      await pane.control.send('skin', { name: skin.name });
      if (skin.placeholder !== '') {
        const raw = await pane.shows(new RegExp(escaped(skin.placeholder.trim().slice(1))), () =>
          pane.screen(true),
        );
        expect(raw).toContain(`\u001b[${skin.placeholderColour}m`);
      }
      const draft = `a draft for ${skin.name}`;
      await pane.type(draft);
      await pane.drafted(draft, fingerprint(draft).sha256);
      await seesDraft(pane, skin, draft);
      if (skin.placeholder.length > 6) expect(await pane.screen()).not.toContain(skin.placeholder.trim());
      await pane.control.send('skin', { name: 'plain' });
      await seesDraft(pane, skins[0]!, draft);
    }
    expect(pane.records('submitted')).toEqual([]);
  });

  it('skins show their state in the title as they were made to', async () => {
    const pane = await world.start(['--name', 'team']);
    const title = (): Promise<string> => pane.fact('#{pane_title}');
    for (const skin of skins.filter((each) => each.title)) {
      const shown = (template: string): RegExp =>
        new RegExp(`^${escaped(template).replace('\\{spin\\}', '\\S+').replace('\\{name\\}', 'team')}\\s*$`);
      await pane.control.send('skin', { name: skin.name });
      await pane.shows(shown(skin.title!.ready), title);
      const { turn_id } = (await pane.control.send('busy', { ms: 600_000 })) as { turn_id: string };
      await pane.shows(shown(skin.title!.busy), title);
      await pane.control.send('open-dialog');
      await pane.shows(shown(skin.title!.action), title);
      await pane.control.send('close-dialog');
      await pane.control.send('end-turn');
      await pane.control.event('turn_finished', (event) => event['turn_id'] === turn_id);
    }
  });

  it('a long paste collapses to a label where the tool does that, and is sent whole', async () => {
    const pane = await world.start(['--skin', 'claude-like', '--turn', '0']);
    const prompt = Array.from({ length: 61 }, (_, line) => `line ${line}`).join('\n');
    await pane.paste(prompt);
    await pane.shows(/❯ \[Pasted text #1 \+60 lines\]/);
    await pane.press('Enter');
    await pane.control.event('submitted');
    expect(pane.records('submitted')).toMatchObject([{ text: prompt }]);
  });
});

describe('a resize', () => {
  it.each(['plain', 'kimi-like'])(
    'a resize redraws %s for the new size and keeps draft and turn',
    async (skin) => {
      const pane = await world.start(['--skin', skin, '--burst', '0']);
      await pane.type('[[turn=60s]] long');
      await pane.press('Enter');
      await pane.control.event('turn_started');
      await pane.type('half a draft');
      for (const [columns, rows] of [
        [60, 16],
        [140, 40],
        [41, 12],
      ] as const) {
        await pane.resize(columns, rows);
        await pane.control.event(
          'resized',
          (event) => event['columns'] === columns && event['rows'] === rows,
        );
        const edge = skin === 'plain' ? `^─{${columns}}$` : `^╭─{${columns - 2}}╮$`;
        await pane.shows(new RegExp(`${edge}[\\s\\S]*half a draft`, 'm'));
      }
      expect(await pane.control.send('status')).toMatchObject({
        state: 'busy',
        draft: { text: 'half a draft' },
      });
      expect(pane.records('submitted')).toHaveLength(1);
    },
  );
});
