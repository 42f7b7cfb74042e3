import { expect, it } from 'vitest';
import { readEvents } from './events.ts';

async function heard(...chunks: string[]): Promise<unknown[]> {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
      controller.close();
    },
  });
  const events = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

it('events are read whole, however the stream is split', async () => {
  expect(await heard('id: 1\nevent: chan', 'ge\ndata: {"a":', '1}\n\nevent: hello\ndata: x\n', '\n')).toEqual(
    [
      { event: 'change', data: '{"a":1}' },
      { event: 'hello', data: 'x' },
    ],
  );
});

it('a comment in the stream is read as a beat', async () => {
  expect(await heard(': still here\n\n')).toEqual([{ event: 'beat', data: '' }]);
});

it('carriage returns and data on several lines are read as in the standard', async () => {
  expect(await heard('data: a\r\ndata: b\r\n\r\n')).toEqual([{ event: 'message', data: 'a\nb' }]);
});
