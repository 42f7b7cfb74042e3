import * as fs from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { Ending } from '../../base/index.ts';
import { testGateway } from '../testing.ts';

const ending = new Ending();
afterEach(() => ending.run());

const PROMPT = { kind: 'submit_prompt', payload: { prompt: 'x' } };

function replace(file: string): void {
  fs.copyFileSync(file, `${file}.copy`);
  fs.renameSync(`${file}.copy`, file);
}

it.each([
  ['removed', (file: string) => fs.rmSync(file)],
  ['replaced', replace],
  ['emptied', (file: string) => fs.truncateSync(file)],
])('nothing is accepted into a queue file that was %s, and health reports it', async (word, spoil) => {
  const { root, call } = await testGateway(ending);
  expect((await call('GET', '/health')).body).toMatchObject({ status: 'ok', reasons: [] });
  spoil(`${root}/gateway/queue.sqlite`);
  const answer = await call('POST', '/v1/requests', PROMPT);
  expect(answer.status).toBe(503);
  expect(JSON.stringify(answer.body)).toContain(`was ${word} under the gateway`);
  expect((await call('GET', '/health')).body).toMatchObject({
    status: 'degraded',
    reasons: [expect.stringContaining(word)],
  });
});
