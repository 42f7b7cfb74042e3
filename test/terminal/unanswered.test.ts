import * as fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readReason, reasonTexts, standingOf } from '../../src/domain/index.ts';
import type { DeliveryResult, SettledAttempt } from '../../src/terminal/index.ts';
import { ScriptedWorld } from '../scripted/scripted-world.ts';
import { sampled } from '../support/sample.ts';
import { KilledTypist } from './killed-typist.ts';
import { inPane, type TestPane } from './test-pane.ts';

let world: ScriptedWorld;
let typist: KilledTypist;
beforeAll(async () => {
  [world, typist] = await Promise.all([ScriptedWorld.open(), KilledTypist.build()]);
});
afterAll(async () => {
  await world.close();
  typist.close();
});

const received = (pane: TestPane): unknown[] => pane.records('submitted').map(({ text }) => text);
const unseen = (pane: TestPane, what: 'pasted' | 'entered'): Promise<void> =>
  pane.until(({ reasons }) => reasonTexts(reasons).includes(`unseen_paste='${what}'`));
const QUICKLY = { surface: { patience: { echoMs: 300, proofMs: 800, lostMs: 1_500 } } };

describe('a tool that does not react', () => {
  it('a tool that does not react is left alone until its screen moves; then the same attempt continues, and each queued prompt follows once', () =>
    inPane(
      world,
      async (pane) => {
        await pane.control.send('hang');
        const { signal } = new AbortController();
        const texts = Array.from({ length: 6 }, (_, index) => `work item ${index + 1}`);
        const [first, ...rest] = texts.map((text) =>
          pane.prompt(text, { patient: signal, policy: 'always' }),
        );
        const going = [pane.surface.deliver(first!)];
        await unseen(pane, 'pasted');
        going.push(...rest.map((prompt) => pane.surface.deliver(prompt)));
        await pane.control.send('unhang');
        const results = await Promise.all(going);
        expect(results.map(({ outcome }) => outcome)).toEqual(texts.map(() => 'submitted'));
        expect(first!.recorded.map(({ stage }) => stage).slice(0, 3)).toEqual([
          'typing',
          'typed',
          'submitted',
        ]);
        expect(received(pane)).toEqual(texts);
        expect(reasonTexts(pane.surface.observation().reasons).join()).not.toContain('unseen_paste');
      },
      QUICKLY,
    ));

  it('a tool that does not react for long needs a person, and the prompt continues by itself when the tool reacts', () =>
    inPane(
      world,
      async (pane) => {
        await pane.control.send('hang');
        const { signal } = new AbortController();
        const going = pane.surface.deliver(pane.prompt('a slow one', { patient: signal }));
        await pane.until(({ reasons }) => reasonTexts(reasons).includes(`unseen_paste='pasted_long'`));
        const { reasons } = pane.surface.observation();
        expect(standingOf({ tool: 'scripted', reasons })).toMatchObject({ state: 'needs_you' });
        await pane.control.send('unhang');
        const { outcome } = await going;
        expect(received(pane)).toEqual(outcome === 'submitted' ? ['a slow one'] : []);
        expect(reasonTexts(pane.surface.observation().reasons).join()).not.toContain('unseen_paste');
      },
      QUICKLY,
    ));

  it('nothing is typed into a tool that is stopped by a signal, and it is ready when it is continued', () =>
    inPane(
      world,
      async (pane) => {
        const { pid } = (await pane.control.send('status')) as { pid: number };
        process.kill(pid, 'SIGSTOP');
        // On a busy machine it runs for another moment, and the lane waits for what is typed in that moment.
        await expect
          .poll(() => fs.readFileSync(`/proc/${pid}/stat`, 'utf8'), { timeout: 30_000 })
          .toMatch(/\) T /);
        const { signal } = new AbortController();
        const early = await pane.surface.deliver(pane.prompt('while it is stopped', { patient: signal }));
        expect(early).toMatchObject({ outcome: 'not_ready', untouched: true });
        process.kill(pid, 'SIGCONT');
        await pane.ready();
        const later = await pane.surface.deliver(pane.prompt('when it goes on', { patient: signal }));
        expect(later).toMatchObject({ outcome: 'submitted' });
        expect(received(pane)).toEqual(['when it goes on']);
      },
      // tmux continues its own children; this one is a shell's.
      { ...QUICKLY, shell: true },
    ));

  it('a prompt to a tool that ended before it reacted was not submitted, and may be typed again', () =>
    inPane(
      world,
      async (pane) => {
        await pane.control.send('hang');
        const { signal } = new AbortController();
        const going = pane.surface.deliver(pane.prompt('into a dying tool', { patient: signal }));
        await unseen(pane, 'pasted');
        await pane.control.send('crash-to-shell').catch(() => {});
        expect(await going).toMatchObject({ outcome: 'returned', untouched: false });
        expect(await pane.shellScreen()).toBe('shell$');
      },
      { ...QUICKLY, shell: true },
    ));

  it('a prompt whose caller did not wait is erased when it appears late, and the next prompt is typed alone', () =>
    inPane(
      world,
      async (pane) => {
        await pane.control.send('hang');
        const first = await pane.surface.deliver(pane.prompt('asked for directly'));
        expect(first).toMatchObject({ outcome: 'unconfirmed', untouched: false });
        await unseen(pane, 'pasted');
        expect(await pane.surface.deliver(pane.prompt('too early'))).toMatchObject({
          outcome: 'not_ready',
          untouched: true,
          reasons: [readReason("unseen_paste='pasted'")],
        });
        const settled = pane.surface.leftovers!.settled.next();
        await pane.control.send('unhang');
        await settled;
        const recorded: SettledAttempt[] = [];
        await pane.surface.leftovers!.settle((each) => void recorded.push(each));
        expect(recorded).toMatchObject([{ owner: { source: 'direct' }, verdict: 'not_submitted' }]);
        await pane.ready();
        expect(await pane.surface.deliver(pane.prompt('the next one'))).toMatchObject({
          outcome: 'submitted',
        });
        expect(received(pane)).toEqual(['the next one']);
      },
      QUICKLY,
    ));

  it('a paste that a drawing tool does not show was lost, and may be typed again', () =>
    inPane(
      world,
      async (pane) => {
        await pane.control.send('ignore-paste');
        const { signal } = new AbortController();
        const result = await pane.surface.deliver(pane.prompt('ignored', { patient: signal }));
        expect(result).toMatchObject({ outcome: 'returned' });
        expect(reasonTexts(result.reasons).join()).toContain('the paste was lost');
      },
      QUICKLY,
    ));

  it.each([
    [
      'raw keys',
      (pane: TestPane): Promise<DeliveryResult> => pane.surface.sendKeys({ requestId: 'k', sequence: 'x' }),
    ],
    ['an interrupt', (pane: TestPane): Promise<DeliveryResult> => pane.surface.interrupt('i')],
  ])('a tool that does not react still gets %s that a person requests', (_what, act) =>
    inPane(
      world,
      async (pane) => {
        await pane.control.send('hang');
        const stop = new AbortController();
        const going = pane.surface.deliver(pane.prompt('left alone', { patient: stop.signal }));
        await unseen(pane, 'pasted');
        expect(await act(pane)).toMatchObject({ outcome: 'submitted', untouched: false });
        stop.abort();
        expect(await going).toMatchObject({ outcome: 'left' });
      },
      QUICKLY,
    ),
  );
});

describe('a tool that draws late', () => {
  const late: [fault: string, ms: number, statusFile: boolean][] = [
    ['echo-late', 1000, true],
    ['echo-late', 2500, true],
    ['echo-late', 2500, false],
    ['slow-redraw', 3000, true],
    ['slow-redraw', 3000, false],
    ['echo-late', 5000, false],
    ['slow-redraw', 5000, false],
  ];
  it.each(sampled(import.meta.filename, late, 2))(
    'a prompt to a tool that draws late is submitted with one Enter: %s %d ms, reported by the tool: %s',
    (fault, ms, statusFile) =>
      inPane(
        world,
        async (pane) => {
          await pane.control.send(fault, { ms });
          const result = await pane.surface.deliver(
            pane.prompt('taken at once, shown late', { patient: new AbortController().signal }),
          );
          expect(result).toMatchObject({ outcome: 'submitted' });
          expect(result.evidence.at(-1)?.facts).toMatchObject({ enters: 1 });
          expect(received(pane)).toEqual(['taken at once, shown late']);
        },
        { statusFile },
      ),
  );
});

describe('text that a killed typist left', () => {
  const line = 'a line that was on its way';

  it.each(['lane.pasted', 'lane.typed'])(
    'text that a typist killed at %s left is erased before the next prompt',
    (at) =>
      inPane(world, async (pane) => {
        await typist.killedAt(pane, at, line);
        await pane.shows('on its way');
        expect(await pane.surface.deliver(pane.prompt('and another one'))).toMatchObject({
          outcome: 'submitted',
        });
        expect(received(pane)).toEqual(['and another one']);
        const recorded: SettledAttempt[] = [];
        await pane.surface.leftovers!.settle((each) => void recorded.push(each));
        expect(recorded).toMatchObject([{ requestId: 'r-1', verdict: 'not_submitted' }]);
      }),
  );

  it('text that a typist killed at lane.entered left is found to be submitted, also by another process', () =>
    inPane(world, async (pane) => {
      await typist.killedAt(pane, 'lane.entered', line);
      const recorded: SettledAttempt[] = [];
      expect(await pane.surface.leftovers!.settle((each) => void recorded.push(each))).toBeUndefined();
      expect(recorded).toMatchObject([
        { requestId: 'r-1', owner: { source: 'direct' }, verdict: 'submitted' },
      ]);
      expect(received(pane)).toEqual([line]);
    }));

  it.each([
    ['lane.pasted', 'pasted'],
    ['lane.entered', 'entered'],
  ] as const)(
    'text that a typist killed at %s left in a tool that does not react is continued when it reacts',
    (at, what) =>
      inPane(
        world,
        async (pane) => {
          if (at === 'lane.pasted') await pane.control.send('hang');
          else await pane.control.send('slow-redraw', { ms: 12_000 });
          if (at === 'lane.entered') {
            // Hangs from the instant at which the text is shown.
            await pane.control.send('clear-faults');
            const shown = pane.control.event('draft', ({ empty }) => empty === false);
            void shown.then(() => pane.control.event('drawn')).then(() => pane.control.send('hang'));
          }
          await typist.killedAt(pane, at, line);
          const sinceUtc = new Date().toISOString();
          const { verdict } = await pane.surface.recover({ requestId: 'r-1', text: line, sinceUtc });
          expect(verdict).toBe('unseen');
          const { signal } = new AbortController();
          const going = pane.surface.deliver(
            pane.prompt(line, { requestId: 'r-1', patient: signal, resume: true }),
          );
          await unseen(pane, what);
          await pane.control.send('unhang');
          expect(await going).toMatchObject({ outcome: 'submitted' });
          expect(received(pane)).toEqual([line]);
        },
        QUICKLY,
      ),
  );

  it('text that a killed typist left in a tool that was replaced is proven not submitted', () =>
    inPane(
      world,
      async (pane) => {
        await pane.control.send('hang');
        await typist.killedAt(pane, 'lane.pasted', line);
        await pane.control.send('crash-to-shell').catch(() => {});
        await pane.shellScreen();
        await pane.restart();
        await pane.ready();
        const recorded: SettledAttempt[] = [];
        await pane.surface.leftovers!.settle((each) => void recorded.push(each));
        expect(recorded).toMatchObject([{ verdict: 'not_submitted', evidence: [{ source: 'process' }] }]);
        expect(received(pane)).toEqual([]);
      },
      { shell: true },
    ));
});
