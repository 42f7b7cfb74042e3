import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprint, SKINS, type Skin } from '../../src/scripted/index.ts';
import { AgentHouse, type AgentPane, type AgentHouse as House } from './agent-in-tmux.ts';

let house: House;
beforeAll(async () => {
  house = await AgentHouse.open();
});
afterAll(() => house.close());

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const skins = [...SKINS.values()];

async function seesDraft(pane: AgentPane, skin: Skin, draft: string): Promise<void> {
  await pane.shows(new RegExp(`${escaped(skin.border.beside[0] + skin.glyph)}${escaped(draft)}`));
  const facts = `${skin.screen === 'alternate' ? 1 : 0} ${skin.cursor === 'visible' ? 1 : 0}`;
  await pane.shows(new RegExp(`^${facts}$`), () => pane.fact('#{alternate_on} #{cursor_flag}'));
}

describe('skins', () => {
  it('there are at least twelve, no two alike', () => {
    expect(skins.length).toBeGreaterThanOrEqual(12);
    expect(new Set(skins.map((skin) => JSON.stringify({ ...skin, name: '', summary: '' }))).size).toBe(
      skins.length,
    );
  });

  it('change while the agent runs, in any order, and keep the draft', async () => {
    const pane = await house.start();
    const draft = 'a draft that stays';
    await pane.type(draft);
    await pane.drafted(draft, fingerprint(draft).sha256);
    for (const skin of skins) {
      await pane.control.send('skin', { name: skin.name });
      await seesDraft(pane, skin, draft);
    }
    await pane.press('C-u');
    await pane.control.event('draft', (event) => event['empty'] === true, pane.control.mark - 1);
    expect(pane.records('skin_changed').map((record) => record['skin'])).toEqual(
      skins.map((skin) => skin.name),
    );
  });

  it.each(skins)('$name shows its placeholder only while the composer is empty', async (skin) => {
    const pane = await house.start(['--skin', skin.name, '--turn', '0', '--burst', '0']);
    if (skin.placeholder !== '') {
      const raw = await pane.shows(new RegExp(escaped(skin.placeholder.trim().slice(1))), () =>
        pane.screen(true),
      );
      expect(raw).toContain(`\u001b[${skin.placeholderColour}m`);
    }
    await pane.type('x');
    await seesDraft(pane, skin, 'x');
    if (skin.placeholder.length > 3) expect(await pane.screen()).not.toContain(skin.placeholder.trim());
    await pane.control.send('exit');
  });

  it.each(skins.filter((skin) => skin.title))(
    '$name tells its state in the title as it was made to',
    async (skin) => {
      const pane = await house.start(['--skin', skin.name, '--name', 'team']);
      const shown = (template: string): RegExp =>
        new RegExp(`^${escaped(template).replace('\\{spin\\}', '\\S+').replace('\\{name\\}', 'team')}\\s*$`);
      const title = (): Promise<string> => pane.fact('#{pane_title}');
      await pane.shows(shown(skin.title!.ready), title);
      await pane.control.send('busy', { ms: 600_000 });
      await pane.shows(shown(skin.title!.busy), title);
      await pane.control.send('open-dialog');
      await pane.shows(shown(skin.title!.action), title);
      await pane.control.send('exit');
    },
  );

  it('a long paste collapses to a label where the tool does that, and is sent whole', async () => {
    const pane = await house.start(['--skin', 'claude-like', '--turn', '0']);
    const prompt = Array.from({ length: 61 }, (_, line) => `line ${line}`).join('\n');
    await pane.paste(prompt);
    await pane.shows(/❯ \[Pasted text #1 \+60 lines\]/);
    await pane.press('Enter');
    await pane.control.event('submitted');
    expect(pane.records('submitted')).toMatchObject([{ text: prompt }]);
  });
});

describe('a resize', () => {
  it.each(['plain', 'kimi-like'])('redraws %s for the new size and keeps draft and turn', async (skin) => {
    const pane = await house.start(['--skin', skin, '--burst', '0']);
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
      await pane.control.event('resized', (event) => event['columns'] === columns && event['rows'] === rows);
      const edge = skin === 'plain' ? `^─{${columns}}$` : `^╭─{${columns - 2}}╮$`;
      await pane.shows(new RegExp(`${edge}[\\s\\S]*half a draft`, 'm'));
    }
    expect(await pane.control.send('status')).toMatchObject({
      state: 'busy',
      draft: { text: 'half a draft' },
    });
    expect(pane.records('submitted')).toHaveLength(1);
  });
});
