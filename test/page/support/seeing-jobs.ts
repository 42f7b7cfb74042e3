import { expect } from 'vitest';
import { isPhone } from './browser.ts';
import { type AtWork, type Job, WAIT } from './jobs.ts';

/** The lane of an agent says what it did, for pointer and keyboard; a click opens that time, the range is in the address. */
async function seeLanes({ world, visitor, page }: AtWork): Promise<void> {
  const { client } = world.agent('ben');
  const { request_id } = await client.submitPrompt({ prompt: 'say hello' });
  await expect
    .poll(async () => (await client.getRequest(request_id)).ledger?.map(({ stage }) => stage), WAIT)
    .toContain('turn_finished');
  await page.getByRole('link', { name: 'Activity' }).click();
  const lane = page.getByRole('slider', { name: 'States of ben' });
  await lane.waitFor();
  await page.getByRole('link', { name: '1 h', exact: true }).click();
  expect(page.url()).toContain('minutes=60');
  await expect.poll(() => lane.getAttribute('aria-valuetext'), WAIT).toMatch(/^ben: (idle|working)/);
  await lane.focus();
  const last = await lane.getAttribute('aria-valuetext');
  await lane.press('Home');
  await page.getByText(/^ben: .* to .*\(/).waitFor();
  if ((await lane.getAttribute('aria-valuemax')) !== '0')
    expect(await lane.getAttribute('aria-valuetext')).not.toBe(last);
  await page.getByText('The same as a table').click();
  await page.getByRole('row', { name: /^ben/ }).waitFor();
  if (!isPhone(visitor.look)) {
    const box = (await lane.boundingBox())!;
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.5, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, y, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => page.url(), WAIT).toContain('to=');
    await page.getByRole('link', { name: 'Now' }).click();
    await expect.poll(() => page.url(), WAIT).not.toContain('to=');
  }
  await lane.press('Enter');
  await page.getByText(/Up to .* · Newest/).waitFor();
  expect(page.url()).toMatch(/agents\/ben\?at=/);
}

/** What people see of a team over time. */
export const SEEING_JOBS: readonly Job[] = [{ name: 'the lanes of all agents', run: seeLanes }];
