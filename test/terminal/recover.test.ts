import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedWorld } from '../scripted/scripted-world.ts';
import { KilledTypist } from './killed-typist.ts';
import { TestPane } from './test-pane.ts';

let world: ScriptedWorld;
let typist: KilledTypist;
beforeAll(async () => {
  [world, typist] = await Promise.all([ScriptedWorld.open(), KilledTypist.build()]);
});
afterAll(async () => {
  await world.close();
  typist.close();
});

describe('after a crash between typing and proof', () => {
  const line = 'one line that was on its way';
  const lines = 'first line\nsecond line\n\nthird line of it';
  it.each([
    ['lane.typing', line, 'not_submitted', 0],
    ['lane.pasted', line, 'not_submitted', 0],
    ['lane.pasted', lines, 'not_submitted', 0],
    ['lane.typed', lines, 'not_submitted', 0],
    ['lane.entered', line, 'submitted', 1],
    ['lane.entered', lines, 'submitted', 1],
    ['lane.submitted', line, 'submitted', 1],
  ] as const)(
    'a prompt whose typist was killed at %s, %j, is judged %s',
    async (at, text, verdict, received) => {
      const pane = await new TestPane(world).open();
      const sinceUtc = new Date().toISOString();
      await typist.killedAt(pane, at, text);
      const ask = () => pane.surface.recover({ requestId: 'r-1', text, sinceUtc });
      let recovered = await ask();
      // Input that the tool has not read yet cannot be judged, so the test asks again, as the lane does.
      while (recovered.verdict === 'unseen') recovered = await ask();
      expect(recovered.verdict, JSON.stringify(recovered)).toBe(verdict);
      expect(pane.records('submitted')).toHaveLength(received);
      const { found } = recovered.evidence.at(-1)!.facts;
      if (at === 'lane.typing') expect(found).toBe('nothing had been typed');
      else if (at === 'lane.typed') expect(found).toMatch(/had been typed.* taken back/);
      const { draft } = (await pane.control.send('status')) as { draft: { bytes: number } };
      expect(draft.bytes).toBe(0);
      await pane.close();
    },
  );

  it('after a crash, a list of commands that outlived the erased text is closed', async () => {
    const pane = await new TestPane(world, { flags: ['--skin', 'kimi-like'] }).open();
    const sinceUtc = new Date().toISOString();
    await typist.killedAt(pane, 'lane.erasing@2', '/cl');
    const { verdict } = await pane.surface.recover({ requestId: 'r-1', text: '/cl', sinceUtc });
    expect(verdict).toBe('not_submitted');
    await pane.ready();
    expect(pane.records('command', 'submitted')).toEqual([]);
    await pane.close();
  });

  it('after a crash, a draft that is not exactly ours is left alone and nothing is claimed', async () => {
    const pane = await new TestPane(world).open();
    const sinceUtc = new Date().toISOString();
    await typist.killedAt(pane, 'lane.pasted', line);
    await pane.type(' and a person went on');
    await pane.shows('a person went on');
    const { verdict } = await pane.surface.recover({ requestId: 'r-1', text: line, sinceUtc });
    expect(verdict).toBe('unknown');
    expect(await pane.control.send('status')).toMatchObject({
      draft: { text: `${line} and a person went on` },
    });
    await pane.close();
  });

  describe('where the tool shows a label for a long paste', () => {
    const long = Array.from({ length: 12 }, (_, n) => `line ${n} of a long prompt`).join('\n');
    const collapsing = { flags: ['--skin', 'claude-like'] };

    it.each(['lane.pasted', 'lane.typed'])(
      'the label of our own long paste is erased after a kill at %s',
      async (at) => {
        const pane = await new TestPane(world, collapsing).open();
        const sinceUtc = new Date().toISOString();
        await typist.killedAt(pane, at, long);
        await pane.shows('[Pasted text #1 +11 lines]');
        const { verdict } = await pane.surface.recover({ requestId: 'r-1', text: long, sinceUtc });
        const { draft } = (await pane.control.send('status')) as { draft: { bytes: number } };
        expect([verdict, draft.bytes]).toEqual(['not_submitted', 0]);
        await pane.close();
      },
    );

    it('the label of another long paste is left alone after a crash', async () => {
      const pane = await new TestPane(world, collapsing).open();
      const sinceUtc = new Date().toISOString();
      await typist.killedAt(pane, 'lane.typed', long);
      await pane.press('C-u');
      await pane.draft(/^$/);
      const theirs = `${long}\nand a line of a person`;
      await pane.tmux(['set-buffer', '-b', 'theirs', theirs]);
      await pane.tmux(['paste-buffer', '-p', '-b', 'theirs', '-t', `=${pane.session}:`]);
      await pane.shows('[Pasted text #2 +12 lines]');
      const { verdict } = await pane.surface.recover({ requestId: 'r-1', text: long, sinceUtc });
      const { draft } = (await pane.control.send('status')) as { draft: { text: string } };
      expect([verdict, draft.text]).toEqual(['unknown', theirs]);
      await pane.close();
    });
  });

  it('text that a tool erases very late is taken back in the end, and left nowhere', async () => {
    const pane = await new TestPane(world).open();
    const sinceUtc = new Date().toISOString();
    await typist.killedAt(pane, 'lane.typed', lines);
    await pane.control.send('echo-late', { ms: 4000 });
    const ask = () => pane.surface.recover({ requestId: 'r-1', text: lines, sinceUtc });
    let recovered = await ask();
    while (recovered.verdict === 'unseen') recovered = await ask();
    const { draft } = (await pane.control.send('status')) as { draft: { text: string } };
    expect([recovered.verdict, draft.text]).toEqual(['not_submitted', '']);
    await pane.close();
  });

  it('the verdict on an earlier attempt of the same request does not apply to a later one', async () => {
    const pane = await new TestPane(world).open();
    const sinceUtc = new Date().toISOString();
    const ask = () => pane.surface.recover({ requestId: 'r-1', text: lines, sinceUtc });
    await typist.killedAt(pane, 'lane.typed', lines);
    expect(await ask()).toMatchObject({ verdict: 'not_submitted' });
    // Its owner does not get that verdict here: the disk may refuse it, or the next kill may come first.
    await typist.killedAt(pane, 'lane.entered', lines);
    let recovered = await ask();
    while (recovered.verdict === 'unseen') recovered = await ask();
    expect([recovered.verdict, pane.records('submitted').length]).toEqual(['submitted', 1]);
    await pane.close();
  });

  it('an Enter that a slow tool shows late still counts although the same words were there before', async () => {
    const pane = await new TestPane(world, { flags: ['--reply', ''], statusFile: false }).open();
    await pane.ready();
    const record = async (): Promise<void> => {};
    const first = { requestId: 'r-0', text: lines, policy: 'ready_only' as const, record };
    expect(await pane.surface.deliver(first)).toMatchObject({ outcome: 'submitted' });
    await pane.ready();
    const sinceUtc = new Date().toISOString();
    await pane.control.send('echo-late', { ms: 4000 });
    await typist.killedAt(pane, 'lane.entered', lines);
    const ask = () => pane.surface.recover({ requestId: 'r-1', text: lines, sinceUtc });
    let recovered = await ask();
    while (recovered.verdict === 'unseen') recovered = await ask();
    expect(pane.records('submitted')).toHaveLength(2);
    expect(recovered.verdict, JSON.stringify(recovered)).toBe('unknown');
    await pane.close();
  });

  it('without evidence from an agent that lost the prompt, nothing is claimed', async () => {
    const pane = await new TestPane(world).open();
    await pane.control.send('lose-prompt');
    const sinceUtc = new Date().toISOString();
    await typist.killedAt(pane, 'lane.entered', line);
    await pane.control.event('prompt_lost');
    const { verdict } = await pane.surface.recover({ requestId: 'r-1', text: line, sinceUtc });
    expect(verdict).toBe('unknown');
    await pane.close();
  });
});
