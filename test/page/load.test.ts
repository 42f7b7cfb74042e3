import * as fs from 'node:fs';
import * as path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PageWorld } from './page-world.ts';
import { openBrowser, Visitor } from './support/browser.ts';
import { ShownWorld } from './support/shown-world.ts';

const ASSETS = path.join(import.meta.dirname, '../../dist/page/assets');
const LOOK = { width: 1280, theme: 'light' } as const;

describe('what a load of the page costs', () => {
  let world: ShownWorld;
  let browser: Browser;
  beforeAll(async () => {
    [world, browser] = await Promise.all([ShownWorld.open(), openBrowser()]);
    await world.launch('ana');
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  it('a load asks for the snapshot once and for no more than its view needs, and its scripts come compressed', async () => {
    const visitor = await Visitor.come(browser, LOOK, world.origin);
    for (const [at, most] of [
      [await world.link(), 3],
      ['/ui/agents/ana', 6],
    ] as const) {
      const page = await visitor.context.newPage();
      const asked: string[] = [];
      const plain: string[] = [];
      page.on('response', (response) => {
        const { pathname } = new URL(response.url());
        if (pathname.startsWith('/ui/api/')) asked.push(pathname);
        if (/\.(js|css)$/.test(pathname) && !response.headers()['content-encoding']) plain.push(pathname);
      });
      await page.goto(new URL(at, world.origin).href);
      await page.locator('[data-live="live"]').waitFor();
      await page.getByText('idle').first().waitFor();
      expect(asked.filter((each) => each === '/ui/api/snapshot')).toHaveLength(1);
      expect(asked.length, asked.join(' ')).toBeLessThanOrEqual(most);
      expect(plain).toEqual([]);
      await page.close();
    }
    await visitor.leave();
  });

  it('an address of the page that does not exist is a page that says so', async () => {
    const visitor = await Visitor.come(browser, LOOK, world.origin);
    const page = await visitor.context.newPage();
    const response = await page.goto(new URL(await world.link({}, '/ui/zzz'), world.origin).href);
    expect(response?.status()).toBe(404);
    await page.getByText('There is nothing here.').waitFor();
    await page.getByRole('link', { name: 'Home', exact: true }).last().click();
    await page.getByRole('region', { name: 'Agents' }).waitFor();
    const stranger = await Visitor.come(browser, LOOK, world.origin);
    const outside = await stranger.tab('/ui/zzz');
    await outside.getByRole('heading', { name: 'You are not logged in' }).waitFor();
    await stranger.leave();
    await visitor.leave();
  });

  it('a place that is opened by keys has the focus, so that Tab goes on from there', async () => {
    const visitor = await Visitor.come(browser, LOOK, world.origin);
    const page = await visitor.tab(await world.link());
    await page.locator('[data-live="live"]').waitFor();
    await page.locator('tr[data-agent="ana"] a[data-row]').focus();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.waitForURL('**/ui/requests');
    await page.waitForFunction(() => document.activeElement?.id === 'main');
    expect(visitor.problems).toEqual([]);
    await visitor.leave();
  });
});

describe('how files of the page are sent', () => {
  const world = new PageWorld();
  beforeAll(() => world.open(), 120_000);
  afterAll(() => world.shut());

  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', undefined],
    ['', undefined],
  ])('a browser that accepts "%s" gets the same script, encoded as %s', async (accepted, encoding) => {
    const name = fs.readdirSync(ASSETS).find((each) => /^page-.*\.js$/.test(each))!;
    const response = await world.sendBytes(`/ui/assets/${name}`, accepted);
    expect([response.headers['content-encoding'], response.headers['vary']]).toEqual([
      encoding,
      'accept-encoding',
    ]);
    const decode = { br: brotliDecompressSync, gzip: gunzipSync }[encoding as 'br'] ?? ((each) => each);
    const whole = fs.readFileSync(path.join(ASSETS, name));
    expect(decode(response.bytes).equals(whole)).toBe(true);
    if (encoding) expect(response.bytes.length).toBeLessThan(whole.length / 2);
  });

  it('a response of the API is never compressed, and a compressed file has no address of its own', async () => {
    const nina = await world.visit();
    const { headers } = await world.send('GET', '/ui/api/snapshot', {
      cookie: nina.cookie,
      'x-rouse-page': nina.header,
      'accept-encoding': 'gzip, br',
    });
    expect(headers['content-encoding']).toBeUndefined();
    const packed = fs.readdirSync(ASSETS).find((each) => each.endsWith('.br'))!;
    expect((await world.send('GET', `/ui/assets/${packed}`)).status).toBe(404);
  });
});
