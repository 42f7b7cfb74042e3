import { expect, it } from 'vitest';
import { Gather } from './gather.ts';
import { FakeClock } from './time/fake-clock.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function gather(answer: (item: number) => string = String, maxItems = 3) {
  const clock = new FakeClock();
  const questions: number[][] = [];
  const gathered = new Gather<number, string>({
    clock,
    pauseMs: 20,
    maxItems,
    ask: async (items) => {
      questions.push(items);
      return items.map(answer);
    },
  });
  return { clock, questions, gathered };
}

it('a batch is asked at once after a pause, with all items of the same turn', async () => {
  const { questions, gathered } = gather();
  expect(await Promise.all([gathered.ask(1), gathered.ask(2)])).toEqual(['1', '2']);
  expect(questions).toEqual([[1, 2]]);
});

it('items that arrive within the pause are asked together, up to the maximum', async () => {
  const { clock, questions, gathered } = gather();
  await gathered.ask(1);
  const later = Promise.all([2, 3, 4, 5].map((item) => gathered.ask(item)));
  await turn();
  expect(questions).toEqual([[1]]);
  await clock.advance(20);
  await clock.advance(20);
  expect(await later).toEqual(['2', '3', '4', '5']);
  expect(questions).toEqual([[1], [2, 3, 4], [5]]);
});

it('every item of a failed question gets its error, and the next question is asked', async () => {
  const { clock, gathered } = gather((item) => {
    if (item === 1) throw new Error('away');
    return String(item);
  });
  const failed = await Promise.allSettled([gathered.ask(1), gathered.ask(2)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = gathered.ask(3);
  await clock.advance(20);
  expect(await next).toBe('3');
});
