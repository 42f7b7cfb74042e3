import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentSurface, PromptDelivery, Stage } from './port.ts';

/** A surface and the agent behind it, for tests of the port. */
export interface SurfaceUnderTest {
  surface: AgentSurface;
  /** Prompts that the agent reports to have received. */
  received: () => string[];
  /** Makes the agent busy, or lets it be ready again; resolves when the surface has seen it. */
  setBusy: (busy: boolean) => Promise<void>;
  close: () => Promise<void>;
}

/** What every user of the port may rely on. */
export function surfaceContract(name: string, open: () => Promise<SurfaceUnderTest>): void {
  describe(`${name} keeps the promises of a surface`, () => {
    let desk: SurfaceUnderTest;
    beforeEach(async () => {
      desk = await open();
    });
    afterEach(() => desk.close());

    const prompt = (
      text: string,
      more: Partial<PromptDelivery> = {},
    ): PromptDelivery & { stages: Stage[] } => {
      const stages: Stage[] = [];
      const record = async (stage: Stage): Promise<void> => void stages.push(stage);
      return { requestId: 'r', text, policy: 'ready_only', record, ...more, stages };
    };

    it('a prompt for a ready agent is submitted, received once, and its stages come in order', async () => {
      const asked = prompt('first things first');
      expect(await desk.surface.deliver(asked)).toMatchObject({ outcome: 'submitted', untouched: false });
      expect(desk.received()).toEqual(['first things first']);
      expect(asked.stages.slice(0, 3)).toEqual(['typing', 'typed', 'submitted']);
    });

    it('nothing goes on before a stage is kept', async () => {
      const kept = signalled();
      const reached = signalled();
      const record = async (stage: Stage): Promise<void> => {
        if (stage !== 'typing') return;
        reached.resolve();
        await kept.promise;
      };
      const delivered = desk.surface.deliver(prompt('wait for it', { record }));
      await reached.promise;
      expect(desk.received()).toEqual([]);
      kept.resolve();
      expect(await delivered).toMatchObject({ outcome: 'submitted' });
    });

    it('a busy agent is left alone, and that is proven', async () => {
      await desk.setBusy(true);
      expect(desk.surface.observation()).toMatchObject({ ready: false, busy: true });
      const asked = prompt('too early');
      const result = await desk.surface.deliver(asked);
      expect(result).toMatchObject({ outcome: 'not_ready', untouched: true });
      expect(result.reasons).not.toEqual([]);
      expect(asked.stages).toEqual([]);
      await desk.setBusy(false);
      expect(desk.surface.observation()).toMatchObject({ ready: true, reasons: [] });
      expect(desk.received()).toEqual([]);
    });

    it('a prompt whose reason has gone is superseded, untouched', async () => {
      const recheck = async () => ({ go: false, reason: 'no longer needed' }) as const;
      expect(await desk.surface.deliver(prompt('never mind', { recheck }))).toMatchObject({
        outcome: 'superseded',
        untouched: true,
        reasons: ['no longer needed'],
      });
      expect(desk.received()).toEqual([]);
    });

    it('prompts given at once go one after the other', async () => {
      const texts = ['one of three', 'two of three', 'three of three'];
      const results = await Promise.all(
        texts.map((text) => desk.surface.deliver(prompt(text, { policy: 'always' }))),
      );
      expect(results.map(({ outcome }) => outcome)).toEqual(['submitted', 'submitted', 'submitted']);
      expect([...desk.received()].sort()).toEqual([...texts].sort());
    });
  });
}

/** A promise and the function that fulfils it. */
function signalled(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
