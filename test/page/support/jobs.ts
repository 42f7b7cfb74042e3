import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { newUuid } from '../../../src/base/index.ts';
import type { Visitor } from './browser.ts';
import { isPhone } from './browser.ts';
import type { ShownWorld } from './shown-world.ts';

export interface AtWork {
  world: ShownWorld;
  visitor: Visitor;
  /** Logged in with the role `operate`, at home. */
  page: Page;
}

export interface Job {
  name: string;
  run(at: AtWork): Promise<void>;
}

/** Long enough for a busy machine. */
export const WAIT = { timeout: 60_000, interval: 100 };
const word = (): string => newUuid().slice(-8);

export const agentRow = (page: Page, name: string) => page.locator(`tr[data-agent="${name}"]`);

async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await liveAgain(page);
}

const liveAgain = (page: Page) => page.locator('[data-live="live"]').waitFor();

/** A dialog is shown on the home page, opened, answered with one of its choices, and gone from the list. */
async function answerDialog({ world, page }: AtWork): Promise<void> {
  const { control } = world.agent('ana');
  const title = `Run the tests ${word()}`;
  const { mark } = control;
  await control.send('open-dialog', { kind: 'permission', title });
  const needs = page.getByRole('region', { name: 'Needs you' });
  const need = needs.getByRole('listitem').filter({ hasText: 'ana' }).filter({ hasText: 'Dialog' });
  await need.waitFor();
  await agentRow(page, 'ana').getByText('permission dialog').waitFor();
  expect(await page.title()).toMatch(/^\(\d+\) /);
  await need.getByRole('button', { name: 'Answer ana', exact: true }).click();
  const dialog = page.getByRole('region', { name: /ana asks/ });
  await dialog.getByText(title).first().waitFor();
  await dialog.getByRole('button', { name: /Yes/ }).first().click();
  const answered = await control.event('dialog_answered', undefined, mark);
  expect(answered['by']).toBe('key');
  // The row goes away; what was done stays.
  await needs
    .getByRole('list', { name: 'What you settled' })
    .getByText(/^Sent .* to ana;/)
    .waitFor();
  await dialog.waitFor({ state: 'detached' });
  await goTo(page, '/ui/');
  await need.waitFor({ state: 'detached' });
}

/** A request is read, asked back and approved on home, with the keyboard. */
async function answerAtHome({ world, page }: AtWork): Promise<void> {
  const title = `Publish the release ${word()}`;
  const id = await world.asks(title, 'approval', 'All tests are green.');
  const needs = page.getByRole('region', { name: 'Needs you' });
  const need = needs.getByRole('listitem').filter({ hasText: title });
  await need.getByText('asks you to approve').waitFor();
  await need.getByRole('button', { name: 'Answer hana', exact: true }).press('Enter');
  const opened = need.getByRole('region', { name: 'The request' });
  await opened.getByText('All tests are green.').waitFor();
  expect(page.url()).toContain('need=');
  await need.getByRole('button', { name: 'Close' }).press('a');
  await expect.poll(() => world.statusOf(id), WAIT).toBe('approved');
  const settled = needs.getByRole('list', { name: 'What you settled' });
  await settled.getByText(/^Answered: approved/).waitFor();
  const other = await world.asks(`Delete the old branch ${word()}?`);
  await goTo(page, `/ui/?need=${encodeURIComponent(`request:${other}`)}`);
  const second = needs.getByRole('region', { name: 'The request' });
  await second.getByRole('textbox', { name: 'Note' }).fill('Which one?');
  await second.getByRole('button', { name: 'Ask back' }).click();
  await expect.poll(() => world.statusOf(other), WAIT).toBe('info_requested');
  await second.waitFor({ state: 'detached' });
}

/** A prompt is queued once, however often it is clicked, and each stage is shown when it was seen. */
async function promptOnce({ world, page }: AtWork): Promise<void> {
  const text = `Count to three, ${word()}`;
  await goTo(page, '/ui/agents/ben');
  const composer = page.getByRole('form', { name: 'Write to ben' });
  await composer.getByRole('radio', { name: 'Prompt when ready' }).click();
  await composer.getByRole('textbox', { name: 'Prompt' }).fill(text);
  expect(await composer.locator('#what-will-happen').innerText()).toMatch(/\w+ \w+/);
  await composer.getByRole('button', { name: 'Queue the prompt' }).dblclick();
  for (const stage of ['accepted', 'typed', 'submitted', 'turn_finished'])
    await composer.locator(`[data-stage="${stage}"][data-seen="yes"]`).waitFor();
  expect(
    world
      .agent('ben')
      .received()
      .filter((each) => each.includes(text)),
  ).toHaveLength(1);
  await composer.getByRole('link', { name: 'evidence' }).click();
  const ledger = page.getByRole('dialog');
  await ledger.getByText('Submitted', { exact: true }).waitFor();
  await ledger.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('region', { name: 'Timeline' }).getByText(text).first().waitFor();
}

/** A turn is interrupted from the page. */
async function interrupt({ world, page }: AtWork): Promise<void> {
  const { control } = world.agent('ben');
  const { mark } = control;
  await control.send('busy', { ms: 600_000 });
  await goTo(page, '/ui/agents/ben');
  await page.locator('header').getByText('working').first().waitFor();
  const composer = page.getByRole('form', { name: 'Write to ben' });
  await composer.getByRole('radio', { name: 'Interrupt' }).click();
  await composer.getByRole('button', { name: 'Interrupt its turn' }).click();
  await control.event('interrupted', undefined, mark);
  await composer.getByRole('status').waitFor();
}

/** The screen is shown in colour, as it changes. */
async function seeScreen({ world, page }: AtWork): Promise<void> {
  const said = `seen ${word()}`;
  await goTo(page, '/ui/agents/cleo');
  const screen = page.getByRole('region', { name: 'Screen of the agent, read-only' });
  await screen.waitFor();
  await world.agent('cleo').control.send('say', { text: said });
  await screen.getByText(said).waitFor();
  // It was captured, not attached: no person's terminal changes its size.
  expect(world.agent('cleo').control.events.filter(({ type }) => type === 'resized')).toEqual([]);
}

/** Mail from the page arrives in the agent's mailbox and wakes it. */
async function mailToAgent({ world, page }: AtWork): Promise<void> {
  const subject = `The flaky test ${word()}`;
  await goTo(page, '/ui/agents/ben');
  const composer = page.getByRole('form', { name: 'Write to ben' });
  await composer.getByRole('textbox', { name: 'Subject' }).fill(subject);
  await composer.getByRole('textbox', { name: 'Message' }).fill('Please look at it.');
  await composer.getByRole('button', { name: 'Send mail' }).click();
  await composer.getByRole('status').waitFor();
  await page.getByRole('tab', { name: /Mail/ }).click();
  await page.getByRole('tabpanel').getByText(subject).waitFor();
  await expect
    .poll(
      () =>
        world
          .agent('ben')
          .received()
          .some((text) => /mail/i.test(text)),
      WAIT,
    )
    .toBe(true);
}

const listOf = (page: Page) => page.getByRole('region', { name: 'Conversations' });
const rowOf = (page: Page, subject: string) =>
  page.getByRole('list', { name: 'Conversations' }).getByRole('listitem').filter({ hasText: subject });

/** Mail is found, read, answered with Ctrl+Enter and archived; what was typed before is still there. */
async function readMail({ world, visitor, page }: AtWork): Promise<void> {
  const subject = `Release notes ${word()}`;
  await world.mail('cleo', OPERATOR, subject, 'Here **they** are: https://example.org/notes\n\n- one\n- two');
  await goTo(page, '/ui/mail');
  const list = listOf(page);
  await rowOf(page, subject).waitFor();
  await list.getByRole('searchbox', { name: 'Search mail' }).fill(subject);
  await list.getByRole('searchbox', { name: 'Search mail' }).press('Enter');
  await rowOf(page, subject).getByRole('link').click();
  const thread = page.getByRole('region', { name: 'Thread' });
  const link = thread.getByRole('link', { name: 'https://example.org/notes' });
  expect(await link.getAttribute('rel')).toContain('noreferrer');
  await thread.locator('strong', { hasText: 'they' }).waitFor();
  expect(await thread.locator('ul.list-disc li').allInnerTexts()).toEqual(['one', 'two']);
  const text = `Thank you ${word()}`;
  const reply = thread.getByRole('textbox', { name: 'Reply' });
  await reply.fill(text);
  await goTo(page, '/ui/mail');
  await rowOf(page, subject).getByRole('link').click();
  await expect.poll(() => reply.inputValue(), WAIT).toBe(text);
  await page.reload();
  await liveAgain(page);
  await expect.poll(() => reply.inputValue(), WAIT).toBe(text);
  await reply.press('Control+Enter');
  await thread.getByRole('status').waitFor();
  await thread.getByText(text).first().waitFor();
  expect(await reply.inputValue()).toBe('');
  await thread
    .getByRole('list', { name: 'Receipts' })
    .getByText(/stored|announced|read/)
    .first()
    .waitFor();
  if (isPhone(visitor.look)) expect(await list.isVisible()).toBe(false);
  await thread.getByRole('button', { name: 'Archive', exact: true }).click();
  if (isPhone(visitor.look)) await list.waitFor();
  else await thread.getByText('Choose a conversation').waitFor();
  await rowOf(page, subject).getByText('archived').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await rowOf(page, subject).getByText('archived').waitFor({ state: 'detached' });
}

/** Several conversations are chosen with shift, marked and archived at once, and brought back as they were. */
async function sortMail({ world, page }: AtWork): Promise<void> {
  const mark = word();
  for (const n of [1, 2, 3]) await world.mail('cleo', OPERATOR, `Batch ${mark} ${n}`, `number ${n}`);
  await goTo(page, `/ui/mail?mailbox=${encodeURIComponent(OPERATOR)}&from=cleo&q=${mark}`);
  const rows = rowOf(page, mark);
  await expect.poll(() => rows.count(), WAIT).toBe(3);
  const boxes = rows.getByRole('checkbox');
  await boxes.first().click();
  await boxes.last().click({ modifiers: ['Shift'] });
  const chosen = page.getByRole('group', { name: 'Chosen' });
  await chosen.getByText('3 chosen').waitFor();
  await chosen.getByRole('button', { name: 'Mark read' }).click();
  const undo = page.getByRole('button', { name: 'Undo' });
  await page.getByText('3 messages marked as read.').waitFor();
  await expect.poll(() => rows.getByRole('img', { name: /unread/ }).count(), WAIT).toBe(0);
  await undo.click();
  await expect.poll(() => rows.getByRole('img', { name: /unread/ }).count(), WAIT).toBe(3);
  await goTo(page, `/ui/mail?mailbox=${encodeURIComponent(OPERATOR)}&box=inbox`);
  await expect.poll(() => rows.count(), WAIT).toBe(3);
  await rows.first().getByRole('link').focus();
  await page.keyboard.press('x');
  await chosen.getByRole('button', { name: 'Archive' }).click();
  await page.getByText('1 message archived.').waitFor();
  await page.keyboard.press('z');
  await page.getByText('1 message archived.').waitFor({ state: 'detached' });
  // It is as it was: in the inbox, and unread.
  await expect.poll(() => rows.getByRole('img', { name: /unread/ }).count(), WAIT).toBe(3);
}

/** Mail with a copy to someone is written with the keyboard from home, kept, sent and forwarded. */
async function writeMail({ world, page }: AtWork): Promise<void> {
  const subject = `Plan ${word()}`;
  await page.keyboard.press('c');
  const form = page.getByRole('dialog', { name: 'New message' });
  const to = form.getByRole('combobox', { name: 'To' });
  await expect.poll(() => to.evaluate((field) => field === document.activeElement), WAIT).toBe(true);
  await to.fill('ana');
  await form.getByRole('combobox', { name: 'Cc' }).fill('ben');
  await form.getByRole('textbox', { name: 'Subject' }).fill(subject);
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  await page.keyboard.press('c');
  await expect.poll(() => form.getByRole('textbox', { name: 'Subject' }).inputValue(), WAIT).toBe(subject);
  await form.getByRole('textbox', { name: 'Message' }).fill('The plan.');
  await form.getByRole('textbox', { name: 'Message' }).press('Control+Enter');
  await form.waitFor({ state: 'detached' });
  const { messages } = await world.agent('ben').client.call('mail.list', { body: {} });
  expect(messages.find((each) => each.subject === subject)?.cc).toMatchObject([
    { address: await world.addressOf('ben') },
  ]);
  await rowOf(page, subject).first().getByRole('link').click();
  await page.getByRole('button', { name: 'Forward' }).click();
  const forward = page.getByRole('dialog', { name: 'Forward' });
  expect(await forward.getByRole('textbox', { name: 'Subject' }).inputValue()).toBe(`Fwd: ${subject}`);
  await forward.getByRole('combobox', { name: 'To' }).fill('cleo');
  await forward.getByRole('button', { name: 'Send' }).click();
  await forward.waitFor({ state: 'detached' });
  await goTo(page, '/ui/mail');
  await rowOf(page, `Fwd: ${subject}`).first().waitFor();
}

/** The operator's address, which every store has. */
export const OPERATOR = 'HOUMAO-operator@houmao.localhost';

/** What an agent asked is answered; a second answer is refused. */
async function answerRequest({ world, visitor, page }: AtWork): Promise<void> {
  const title = `May I merge ${word()}?`;
  const id = await world.asks(title);
  await goTo(page, '/ui/requests');
  const card = page.getByRole('listitem').filter({ hasText: title });
  await card.getByRole('button', { name: 'Approve' }).click();
  await expect.poll(() => world.statusOf(id), WAIT).toBe('approved');
  await card.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });
  const second = `Delete the branch ${word()}?`;
  const other = await world.asks(second);
  await goTo(page, `/ui/requests?id=${other}`);
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: 'Note' }).fill('Not yet.');
  await drawer.getByRole('button', { name: 'Reject' }).click();
  await expect.poll(() => world.statusOf(other), WAIT).toBe('rejected');
  await goTo(page, '/ui/requests');
  const answered = page
    .getByRole('region', { name: 'Answered' })
    .getByRole('listitem')
    .filter({ hasText: second });
  if (!isPhone(visitor.look)) await answered.getByText('“Not yet.”').waitFor();
  const asked = `Review the parser ${word()}`;
  await page.getByRole('link', { name: 'New request' }).click();
  const form = page.getByRole('dialog', { name: 'New request' });
  await form.getByRole('combobox', { name: 'To' }).fill('hana');
  await form.getByRole('textbox', { name: 'Title' }).fill(asked);
  await form.getByRole('spinbutton').fill('80');
  await form.getByRole('textbox', { name: 'Title' }).press('Control+Enter');
  await form.waitFor({ state: 'detached' });
  await goTo(page, '/ui/requests?view=waiting');
  const waiting = page.getByRole('region', { name: 'Waiting for agents' });
  await waiting.getByRole('listitem').filter({ hasText: asked }).getByText('priority 80').waitFor();
}

/** Reminders are made, ranked, edited, paused, removed and brought back; one behind a paused one says so. */
async function remind({ world, page }: AtWork): Promise<void> {
  const mark = word();
  const [first, second] = [`Look at the build ${mark}`, `Weekly summary ${mark}`];
  await goTo(page, '/ui/reminders?agent=cleo');
  const form = page.getByRole('form', { name: 'New reminder' });
  const create = async (title: string) => {
    await form.getByRole('textbox', { name: 'Title' }).fill(title);
    await form.getByRole('textbox', { name: 'Prompt' }).fill('Look at the build.');
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: `Pause ${title}` }).waitFor();
  };
  await create(first);
  await form.getByRole('combobox', { name: 'How often' }).selectOption('cron');
  await form.getByRole('textbox', { name: /^Schedule/ }).fill('0 9 * * 1-5');
  await form.getByRole('textbox', { name: 'Time zone' }).fill('Europe/Berlin');
  await expect.poll(() => form.locator('time').count(), WAIT).toBe(3);
  await create(second);
  await page.getByText('on the schedule 0 9 * * 1-5 (Europe/Berlin)').first().waitFor();
  const { client } = world.agent('cleo');
  const mine = async () => {
    const { reminders } = await client.call('reminders.list', {});
    return reminders.filter(({ title }) => title.includes(mark));
  };
  await page.getByRole('button', { name: `Move ${second} up` }).click();
  await expect.poll(async () => (await mine()).map(({ title }) => title), WAIT).toEqual([second, first]);
  await page.getByRole('button', { name: `Edit ${second}` }).click();
  const edit = page.getByRole('form', { name: 'Edit reminder' });
  await edit.getByRole('textbox', { name: 'Prompt' }).fill('Summarize the week.');
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.waitFor({ state: 'detached' });
  expect((await mine())[0]).toMatchObject({ prompt: 'Summarize the week.', cron: '0 9 * * 1-5' });
  await page.getByRole('button', { name: `Pause ${second}` }).click();
  await page.getByRole('button', { name: `Resume ${second}` }).waitFor();
  await page.getByText(`blocked for good: “${second}” comes first and is paused`, { exact: false }).waitFor();
  await page.getByRole('button', { name: `Remove ${second}` }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await mine()).map(({ title }) => title), WAIT).toEqual([second, first]);
  expect((await mine())[0]).toMatchObject({ paused: true, time_zone: 'Europe/Berlin' });
  for (const title of [first, second]) {
    const remove = page.getByRole('button', { name: `Remove ${title}` });
    await remove.click();
    await remove.waitFor({ state: 'detached' });
  }
}

/** Everything is found from everywhere. */
async function search({ world, page }: AtWork): Promise<void> {
  const subject = `zebra${word()}`;
  await world.mail('cleo', await world.addressOf('ben'), subject, 'about stripes');
  await page.getByRole('button', { name: 'Search everything' }).click();
  const overlay = page.getByRole('dialog', { name: 'Search' });
  await overlay.getByRole('searchbox').fill(subject);
  await overlay.getByRole('link').filter({ hasText: subject }).first().click();
  await page.getByRole('heading', { name: subject }).waitFor();
}

/** Ctrl+K finds an action by its words; arrow keys and Enter choose it, and Escape gives the focus back. */
async function actByPalette({ world, page }: AtWork): Promise<void> {
  const overlay = page.getByRole('dialog', { name: 'Search and act' });
  const choose = async (words: string, choice: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await overlay.getByRole('searchbox').fill(words);
    await overlay.getByRole('button', { name: choice, exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await overlay.waitFor({ state: 'detached' });
  };
  const done = page.getByRole('complementary', { name: 'What you did' });
  await choose('cleo pau 1', 'pause cleo for 1 h');
  await done.getByText(/^cleo is paused until/).waitFor();
  await choose('resume cleo', 'resume cleo');
  await done.getByText(/^cleo is resumed/).waitFor();
  expect((await world.agent('cleo').client.call('pause.status', {})).paused).toBeNull();
  const link = agentRow(page, 'ben').getByRole('link', { name: 'ben' });
  await link.focus();
  await page.keyboard.press('Control+k');
  await overlay.getByRole('searchbox').fill('open cleo');
  expect(await overlay.getByRole('button', { name: /^(stop|relaunch) / }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await overlay.waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement?.textContent === 'ben');
}

/** The page of an agent shows why it does nothing, with the decision and the commands that show the same. */
async function why({ page }: AtWork): Promise<void> {
  await agentRow(page, 'cleo').getByRole('link', { name: 'cleo' }).click();
  await page.getByRole('heading', { name: 'cleo', level: 1 }).waitFor();
  await page.locator('summary', { hasText: /^Why/ }).click();
  await page.getByRole('tab', { name: 'Facts' }).click();
  await page.getByText('rouse why cleo').first().waitFor();
  await page.goBack();
}

/** The switch changes the theme, for this browser and for good. */
async function switchTheme({ visitor, page }: AtWork): Promise<void> {
  const other = visitor.look.theme === 'dark' ? 'light' : 'dark';
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const before = await background();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('button', { name: other }).click();
  expect(await background()).not.toBe(before);
  await page.reload();
  await liveAgain(page);
  expect(await background()).not.toBe(before);
  await page.evaluate(() => localStorage.removeItem('rouse.settings'));
  await page.reload();
  await liveAgain(page);
}

/** Agents of other hosts are shown with what the server knows, and a note that the rest cannot be reached. */
async function lookAtRemoteAgent({ page }: AtWork): Promise<void> {
  await agentRow(page, 'hana').getByRole('link', { name: 'hana' }).click();
  await page
    .getByText(/can be used only there/)
    .first()
    .waitFor();
}

/** The list is sorted, grouped and filtered, and its address contains the choices. */
async function arrangeAgents({ page }: AtWork): Promise<void> {
  const agents = page.getByRole('region', { name: 'Agents' });
  const names = () => agents.locator('tr[data-agent] a[data-row]').allInnerTexts();
  await agents.getByRole('combobox', { name: 'Sort agents by' }).selectOption('name');
  await expect.poll(names, WAIT).toEqual(['ana', 'ben', 'cleo', 'hana']);
  await agents.getByRole('combobox', { name: 'Group agents by' }).selectOption('tool');
  await agents.getByRole('rowheader', { name: 'scripted 3' }).waitFor();
  await agents.getByRole('searchbox').fill('an');
  await expect.poll(names, WAIT).toEqual(['ana', 'hana']);
  expect(new URL(page.url()).search).toBe('?sort=name&group=tool&q=an');
  await page.reload();
  await liveAgain(page);
  await expect.poll(names, WAIT).toEqual(['ana', 'hana']);
  await goTo(page, '/ui/');
}

export const JOBS: readonly Job[] = [
  { name: 'answer the dialog of an agent that needs me', run: answerDialog },
  { name: 'queue a prompt once, and see how it ended', run: promptOnce },
  { name: 'answer a request without leaving home', run: answerAtHome },
  { name: 'interrupt a turn', run: interrupt },
  { name: 'watch a screen', run: seeScreen },
  { name: 'write mail to an agent', run: mailToAgent },
  { name: 'find, read, answer and archive mail', run: readMail },
  { name: 'sort several conversations, and undo it', run: sortMail },
  { name: 'write mail with a copy, and forward it', run: writeMail },
  { name: 'answer and ask requests', run: answerRequest },
  { name: 'make, rank, edit, pause and remove reminders', run: remind },
  { name: 'search everything', run: search },
  { name: 'act from the keyboard alone', run: actByPalette },
  { name: 'read why an agent does nothing', run: why },
  { name: 'sort, group and filter the agents', run: arrangeAgents },
  { name: 'switch the theme', run: switchTheme },
  { name: 'look at an agent of another host', run: lookAtRemoteAgent },
];
