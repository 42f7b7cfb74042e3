import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import type { Context } from 'hono';
import { errnoOf, notFound, unavailable } from '../../../base/index.ts';
import type { Handlers } from '../../../http/index.ts';
import { PAGE_ROOT, type PAGE_SHELL_ROUTES } from '../../../wire/index.ts';

/**
 * Only what the page itself brought may run, load or be requested, and no one may frame it. The page shows mail and
 * screens as text; if markup ever got through, this stops it.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Sent with every response below `/ui`. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

/** Serves the page as it was built into `directory`: one document at each of its paths, and the files beside it. */
export function shellHandlers(directory: string): Handlers<typeof PAGE_SHELL_ROUTES> {
  const document = async (): Promise<Response> =>
    answer(await read(path.join(directory, 'index.html')), { 'content-type': 'text/html; charset=utf-8' });
  const home = ({ context }: { context: Context }): Response => context.redirect(PAGE_ROOT, 302);
  return {
    'page.shell.root': home,
    'page.shell.short': home,
    'page.shell.home': document,
    'page.shell.agent': document,
    'page.shell.mail': document,
    'page.shell.requests': document,
    'page.shell.reminders': document,
    'page.shell.asset': async ({ params: { file } }) => {
      const type = TYPES[path.extname(file)];
      if (!/^[\w-][\w.-]{0,200}$/.test(file) || type === undefined)
        throw notFound(`there is no file ${file}`);
      const bytes = await read(path.join(directory, 'assets', file));
      // Its name changes with its content.
      return answer(bytes, { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' });
    },
  };
}

const answer = (body: Buffer<ArrayBuffer>, headers: Record<string, string>): Response =>
  new Response(body, { headers: { ...PAGE_HEADERS, ...headers } });

async function read(file: string): Promise<Buffer<ArrayBuffer>> {
  try {
    return (await fs.readFile(file)) as Buffer<ArrayBuffer>;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    if (path.basename(file) !== 'index.html') throw notFound(`there is no file ${path.basename(file)}`);
    throw unavailable('this copy of Rouse was built without its page', { hint: 'run "npm run build"' });
  }
}
