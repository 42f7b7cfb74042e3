import { expect } from 'vitest';
import { newUuid } from '../../../src/base/index.ts';
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

/** What happened is listed by what a person does first; a row opens its evidence, and it can be copied and marked as seen. */
async function seeDay({ world, visitor, page }: AtWork): Promise<void> {
  const title = `Publish the release ${newUuid().slice(-8)}`;
  await world.asks(title, 'approval', 'All tests are green.');
  const { client } = world.agent('cleo');
  const prompt = `count the zebras ${newUuid().slice(-8)}`;
  const { request_id } = await client.submitPrompt({ prompt });
  await expect
    .poll(async () => (await client.getRequest(request_id)).ledger?.map(({ stage }) => stage), WAIT)
    .toContain('turn_finished');
  await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(new URL('/ui/day', page.url()).href);
  const finished = page.getByRole('region', { name: 'Finished' });
  const row = finished.getByRole('link').filter({ hasText: prompt });
  await row.waitFor();
  await page.getByRole('button', { name: 'Copy as Markdown' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain('## cleo');
  expect(copied).toContain(prompt);
  await page.getByRole('button', { name: 'Mark all looked at' }).click();
  await page.getByText('Everything is marked as looked at.').waitFor();
  await page.getByRole('link', { name: /Yesterday/ }).click();
  await expect.poll(() => page.url(), WAIT).toMatch(/\/ui\/day\/\d{4}-\d{2}-\d{2}$/);
  await page.getByRole('link', { name: 'Today' }).click();
  await row.click();
  await page.getByRole('dialog').getByText(prompt).first().waitFor();
}

/** Away for an hour: home says what happened since, until the person has looked. */
async function seeSince({ world, page }: AtWork): Promise<void> {
  const { client } = world.agent('ana');
  await client.submitPrompt({ prompt: 'say hello' });
  // Leaving home notes the visit.
  await page.goto(new URL('/ui/requests', page.url()).href);
  await page.locator('[data-live="live"]').waitFor();
  await world.fleet.sql.query(
    `INSERT INTO page_visits (name, at) SELECT DISTINCT name, now() - interval '2 hours' FROM page_audit WHERE action = 'login'
     ON CONFLICT (name) DO UPDATE SET at = excluded.at`,
  );
  await page.goto(new URL('/ui/', page.url()).href);
  const since = page.getByRole('region', { name: /Since you were here/ });
  await since.getByRole('link', { name: /finished/ }).waitFor();
  await since.getByRole('button', { name: 'Mark all looked at' }).click();
  await since.waitFor({ state: 'detached' });
  await page.reload();
  await page.locator('[data-live="live"]').waitFor();
  await expect.poll(() => since.count()).toBe(0);
}

/** The wakes are counted step by step, for all agents and for one; who waits for whom opens the mail. */
async function seeHealth({ world, page }: AtWork): Promise<void> {
  await world.mail('cleo', await world.addressOf('ben'), 'Numbers', 'Please look at them.');
  const { client } = world.agent('ben');
  await expect
    .poll(async () => (await client.call('notifier.status', {})).last_notification_at_utc, WAIT)
    .not.toBeNull();
  await page.goto(new URL('/ui/health', page.url()).href);
  const funnel = page.getByRole('region', { name: 'Wakes, step by step' });
  await funnel.getByText('Submitted', { exact: true }).waitFor();
  await page.getByRole('img', { name: /^From accepted to submitted: / }).waitFor();
  await page.getByRole('region', { name: 'By agent' }).getByRole('link', { name: 'ben' }).waitFor();
  await page.getByRole('combobox', { name: 'Wakes of' }).selectOption('agent:ben');
  expect(page.url()).toContain('of=agent');
  await page.getByText('Messages queued on the server').waitFor();
}

/** Two agents that wait for each other are marked, and the wait opens its message. */
async function seeWaits({ world, page }: AtWork): Promise<void> {
  const subject = `Which port ${newUuid().slice(-8)}`;
  for (const [from, to] of [
    ['ana', 'cleo'],
    ['cleo', 'ana'],
  ] as const)
    await world.agent(from).client.call('mail.send', {
      body: { to: [await world.addressOf(to)], subject, body_content: '?', expects_answer: true },
    });
  await page.goto(new URL('/ui/activity', page.url()).href);
  const waits = page.getByRole('region', { name: 'Who waits for whom' });
  await waits.getByText('some wait for each other').waitFor();
  await waits.getByRole('link', { name: /^ana waits for cleo: .*each other/ }).waitFor();
  await waits.getByRole('link', { name: subject }).first().click();
  await expect.poll(() => page.url(), WAIT).toContain('/ui/mail');
  await page.getByRole('region', { name: 'Thread' }).getByText(subject).first().waitFor();
}

/** What people see of a team over time. */
export const SEEING_JOBS: readonly Job[] = [
  { name: 'the lanes of all agents', run: seeLanes },
  { name: 'what happened in a day', run: seeDay },
  { name: 'since you were here', run: seeSince },
  { name: 'where wakes are lost', run: seeHealth },
  { name: 'who waits for whom', run: seeWaits },
];
