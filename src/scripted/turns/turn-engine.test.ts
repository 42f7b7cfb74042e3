import { describe, expect, it } from 'vitest';
import { testAgent } from '../agent.testing.ts';

describe('turns', () => {
  it('a turn lasts as long as its prompt says and streams its words', async () => {
    const { agent, clock, press, types } = testAgent();
    press('[[turn=2s]] [[delay=1s]] [[words=100]]\r');
    await clock.advance(999);
    expect(agent.engine.current?.answer).toBe('');
    await clock.advance(501);
    const half = agent.engine.current?.answer.split(' ').length ?? 0;
    expect(half).toBeGreaterThan(30);
    expect(half).toBeLessThan(70);
    await clock.advance(600);
    expect(types('turn_finished')).toMatchObject([{ outcome: 'completed', duration_ms: 2000 }]);
    expect(agent.view(80, 24).blocks.at(-1)?.text).toMatch(/^word1 .* word100$/);
  });

  it('a turn that hangs ends only when it is interrupted', async () => {
    const { agent, clock, press, types } = testAgent();
    press('[[hang]]\r');
    await clock.advance(3_600_000);
    expect(agent.state).toBe('busy');
    press('\u001b');
    await clock.advance(1);
    expect(types('turn_finished')).toMatchObject([{ outcome: 'interrupted' }]);
  });

  it('a turn that crashes never finishes', async () => {
    const { clock, press, types, endings } = testAgent();
    press('[[crash]]\r');
    await clock.advance(60_000);
    expect(endings).toEqual([{ kind: 'crash', dirty: false, code: 1 }]);
    expect(types('turn_finished')).toEqual([]);
  });

  it('a turn may leave a draft, another skin or a limit banner', async () => {
    const { agent, clock, press } = testAgent();
    press('[[draft=half a thought]] [[skin=ascii]] [[limit]]\r');
    await clock.advance(1000);
    expect(agent.composer.text).toBe('half a thought');
    expect(agent.skin.name).toBe('ascii');
    expect(agent.banner).toContain('limit');
  });

  it('a turn with a command asks first, and records the command without running it', async () => {
    const { clock, press, types } = testAgent();
    press('[[sh=touch x]]\r');
    await clock.advance(1000);
    press('\r');
    await clock.advance(1000);
    expect(types('shell_command')).toMatchObject([{ command: 'touch x', asked: true, ran: false }]);
  });

  it('a turn can be work without a prompt', async () => {
    const { agent, clock, types } = testAgent();
    expect(agent.engine.work(30_000)).toBe(true);
    expect(agent.engine.work(1)).toBe(false);
    await clock.advance(30_000);
    expect(types('turn_started', 'turn_finished')).toMatchObject([
      { prompt_ids: [] },
      { duration_ms: 30_000 },
    ]);
  });

  it('a finished turn costs nothing: no timer stays armed', async () => {
    const { clock, press } = testAgent();
    press('hello\r');
    await clock.advance(10_000);
    expect(clock.pending).toBe(0);
  });
});
