import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** The browser settings of a person. */
export interface Look {
  width: number;
  theme: 'light' | 'dark';
}

export const LOOKS: readonly Look[] = [
  { width: 1280, theme: 'light' },
  { width: 360, theme: 'dark' },
  { width: 1280, theme: 'dark' },
  { width: 360, theme: 'light' },
];

export const isPhone = ({ width }: Look): boolean => width < 700;

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env['ROUSE_TEST_CHROMIUM'] ?? '/usr/bin/chromium', args: FLAGS });

/** A person with their own browser: cookies, tabs, and all errors in them. */
export class Visitor {
  readonly context: BrowserContext;
  readonly look: Look;
  /** Console errors, exceptions, refusals by the content policy, and requests to other servers. */
  readonly problems: string[] = [];
  readonly #origin: string;

  private constructor(context: BrowserContext, look: Look, origin: string) {
    this.context = context;
    this.look = look;
    this.#origin = origin;
  }

  static async come(browser: Browser, look: Look, origin: string): Promise<Visitor> {
    const context = await browser.newContext({
      viewport: { width: look.width, height: isPhone(look) ? 780 : 860 },
      colorScheme: look.theme,
      ...(isPhone(look) && { hasTouch: true, isMobile: true }),
      acceptDownloads: true,
      reducedMotion: 'reduce',
    });
    return new Visitor(context, look, origin);
  }

  /** A tab that is watched from its first byte. */
  async tab(address: string): Promise<Page> {
    const page = await this.context.newPage();
    page.setDefaultTimeout(60_000);
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        this.problems.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.problems.push(`exception: ${error.message}`));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.origin !== this.#origin && !['data:', 'blob:'].includes(url.protocol))
        this.problems.push(`request to ${request.url()}`);
    });
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        console.error(`policy: ${violatedDirective} ${blockedURI}`),
      );
    });
    await page.goto(new URL(address, this.#origin).href);
    return page;
  }

  async leave(): Promise<void> {
    await this.context.close();
  }
}

/** Violations of WCAG 2.2 AA as sentences. Runs outside the page's own world, where its policy does not apply. */
export async function accessibilityOf(page: Page): Promise<string[]> {
  const size = page.viewportSize();
  const session = await page.context().newCDPSession(page);
  try {
    await wholeInSight(page);
    const { frameTree } = await session.send('Page.getFrameTree');
    const { executionContextId } = await session.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: 'axe',
    });
    const run = (expression: string) =>
      session.send('Runtime.evaluate', {
        contextId: executionContextId,
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
    await run(axe.source);
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { result, exceptionDetails } = await run(
      `axe.run(document, { runOnly: ${JSON.stringify(tags)} }).then(({ violations }) => violations.flatMap(
        ({ id, help, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + help + ' — ' + html.slice(0, 200) + ' — ' + failureSummary)))`,
    );
    if (exceptionDetails)
      throw new Error(`axe: ${exceptionDetails.text} ${exceptionDetails.exception?.description}`);
    return result.value as string[];
  } finally {
    await session.detach();
    if (size) await page.setViewportSize(size);
  }
}

/** What the bottom bar covers can be reached by scrolling; otherwise it would be reported as too small. */
async function wholeInSight(page: Page): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const size = page.viewportSize();
  if (size && height > size.height) await page.setViewportSize({ ...size, height });
}

/** Nothing is wider than the screen: on a phone everything can be reached by scrolling down. */
export const sticksOut = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
