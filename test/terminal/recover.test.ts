import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedHouse } from '../scripted/agent-in-tmux.ts';
import { Desk } from './desk.ts';
import { KilledTypist } from './killed-typist.ts';

let house: ScriptedHouse;
let typist: KilledTypist;
beforeAll(async () => {
  [house, typist] = await Promise.all([ScriptedHouse.open(), KilledTypist.build()]);
});
afterAll(async () => {
  await house.close();
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
  ] as const)('killed at %s, %j is judged %s', async (at, text, verdict, received) => {
    const desk = await new Desk(house).open();
    const sinceUtc = new Date().toISOString();
    await typist.killedAt(desk, at, text);
    const ask = () => desk.surface.recover({ requestId: 'r-1', text, sinceUtc });
    let recovered = await ask();
    // What the tool has not read yet nobody can judge; then it is asked again, as the lane does.
    while (recovered.verdict === 'unseen') recovered = await ask();
    expect(recovered.verdict, JSON.stringify(recovered)).toBe(verdict);
    expect(desk.records('submitted')).toHaveLength(received);
    const { found } = recovered.evidence.at(-1)!.facts;
    if (at === 'lane.typing') expect(found).toBe('nothing had been typed');
    else if (at === 'lane.typed') expect(found).toMatch(/had been typed.* taken back/);
    const { draft } = (await desk.control.send('status')) as { draft: { bytes: number } };
    expect(draft.bytes).toBe(0);
    await desk.close();
  });

  it('a list of commands that outlived the text being taken back is closed', async () => {
    const desk = await new Desk(house, { flags: ['--skin', 'kimi-like'] }).open();
    const sinceUtc = new Date().toISOString();
    await typist.killedAt(desk, 'lane.erasing@2', '/cl');
    const { verdict } = await desk.surface.recover({ requestId: 'r-1', text: '/cl', sinceUtc });
    expect(verdict).toBe('not_submitted');
    await desk.ready();
    expect(desk.records('command', 'submitted')).toEqual([]);
    await desk.close();
  });

  it('a draft that is not exactly ours is left alone and nothing is claimed', async () => {
    const desk = await new Desk(house).open();
    const sinceUtc = new Date().toISOString();
    await typist.killedAt(desk, 'lane.pasted', line);
    await desk.type(' and a person went on');
    await desk.shows('a person went on');
    const { verdict } = await desk.surface.recover({ requestId: 'r-1', text: line, sinceUtc });
    expect(verdict).toBe('unknown');
    expect(await desk.control.send('status')).toMatchObject({
      draft: { text: `${line} and a person went on` },
    });
    await desk.close();
  });

  describe('where the tool shows a label for a long paste', () => {
    const long = Array.from({ length: 12 }, (_, n) => `line ${n} of a long prompt`).join('\n');
    const collapsing = { flags: ['--skin', 'claude-like'] };

    it.each(['lane.pasted', 'lane.typed'])('the label of our own is taken back, killed at %s', async (at) => {
      const desk = await new Desk(house, collapsing).open();
      const sinceUtc = new Date().toISOString();
      await typist.killedAt(desk, at, long);
      await desk.shows('[Pasted text #1 +11 lines]');
      const { verdict } = await desk.surface.recover({ requestId: 'r-1', text: long, sinceUtc });
      const { draft } = (await desk.control.send('status')) as { draft: { bytes: number } };
      expect([verdict, draft.bytes]).toEqual(['not_submitted', 0]);
      await desk.close();
    });

    it('one that counts another text is left alone', async () => {
      const desk = await new Desk(house, collapsing).open();
      const sinceUtc = new Date().toISOString();
      await typist.killedAt(desk, 'lane.typed', long);
      await desk.press('C-u');
      await desk.draft(/^$/);
      const theirs = `${long}\nand a line of a person`;
      await desk.tmux(['set-buffer', '-b', 'theirs', theirs]);
      await desk.tmux(['paste-buffer', '-p', '-b', 'theirs', '-t', `=${desk.session}:`]);
      await desk.shows('[Pasted text #2 +12 lines]');
      const { verdict } = await desk.surface.recover({ requestId: 'r-1', text: long, sinceUtc });
      const { draft } = (await desk.control.send('status')) as { draft: { text: string } };
      expect([verdict, draft.text]).toEqual(['unknown', theirs]);
      await desk.close();
    });
  });

  it('what a tool erases later than anybody waits for is taken back in the end, and left nowhere', async () => {
    const desk = await new Desk(house).open();
    const sinceUtc = new Date().toISOString();
    await typist.killedAt(desk, 'lane.typed', lines);
    await desk.control.send('echo-late', { ms: 4000 });
    const ask = () => desk.surface.recover({ requestId: 'r-1', text: lines, sinceUtc });
    let recovered = await ask();
    while (recovered.verdict === 'unseen') recovered = await ask();
    const { draft } = (await desk.control.send('status')) as { draft: { text: string } };
    expect([recovered.verdict, draft.text]).toEqual(['not_submitted', '']);
    await desk.close();
  });

  it('the verdict on an earlier attempt of the same request says nothing of a later one', async () => {
    const desk = await new Desk(house).open();
    const sinceUtc = new Date().toISOString();
    const ask = () => desk.surface.recover({ requestId: 'r-1', text: lines, sinceUtc });
    await typist.killedAt(desk, 'lane.typed', lines);
    expect(await ask()).toMatchObject({ verdict: 'not_submitted' });
    // Its owner is not told of that verdict here: the disk may refuse that, or the next kill come before it.
    await typist.killedAt(desk, 'lane.entered', lines);
    let recovered = await ask();
    while (recovered.verdict === 'unseen') recovered = await ask();
    expect([recovered.verdict, desk.records('submitted').length]).toEqual(['submitted', 1]);
    await desk.close();
  });

  it('an Enter that a slow tool shows late is not denied because the same words were there before', async () => {
    const desk = await new Desk(house, { flags: ['--reply', ''], statusFile: false }).open();
    await desk.ready();
    const record = async (): Promise<void> => {};
    const first = { requestId: 'r-0', text: lines, policy: 'ready_only' as const, record };
    expect(await desk.surface.deliver(first)).toMatchObject({ outcome: 'submitted' });
    await desk.ready();
    const sinceUtc = new Date().toISOString();
    await desk.control.send('echo-late', { ms: 4000 });
    await typist.killedAt(desk, 'lane.entered', lines);
    const ask = () => desk.surface.recover({ requestId: 'r-1', text: lines, sinceUtc });
    let recovered = await ask();
    while (recovered.verdict === 'unseen') recovered = await ask();
    expect(desk.records('submitted')).toHaveLength(2);
    expect(recovered.verdict, JSON.stringify(recovered)).toBe('unknown');
    await desk.close();
  });

  it('an agent that has lost the prompt gives no evidence, and nothing is claimed', async () => {
    const desk = await new Desk(house).open();
    await desk.control.send('lose-prompt');
    const sinceUtc = new Date().toISOString();
    await typist.killedAt(desk, 'lane.entered', line);
    await desk.control.event('prompt_lost');
    const { verdict } = await desk.surface.recover({ requestId: 'r-1', text: line, sinceUtc });
    expect(verdict).toBe('unknown');
    await desk.close();
  });
});
