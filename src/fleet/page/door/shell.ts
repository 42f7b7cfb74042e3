import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import type { Context, Hono } from 'hono';
import { errnoOf, notFound, unavailable } from '../../../base/index.ts';
import { type Handlers, serve } from '../../../http/index.ts';
import { isPageDocument, PAGE_ROOT, PAGE_SHELL_ROUTES } from '../../../wire/index.ts';

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

const documentIn = async (directory: string): Promise<Response> =>
  answer(await read(path.join(directory, 'index.html')), { 'content-type': 'text/html; charset=utf-8' });

/** Serves the page as it was built into `directory`: one document at each of its paths, and the files beside it. */
export function serveShell(app: Hono, directory: string): void {
  serve(app, PAGE_SHELL_ROUTES, shellHandlers(directory));
  serveMissing(app, directory);
}

/** A person who opens an address of the page that does not exist gets the page, which says so; a program gets the usual error. */
function serveMissing(app: Hono, directory: string): void {
  app.get(`${PAGE_ROOT}*`, async ({ req }, next) => {
    const isOpened =
      isPageDocument(req.path) &&
      !req.path.startsWith(`${PAGE_ROOT}assets/`) &&
      (req.header('accept') ?? '').includes('text/html');
    if (!isOpened) return next();
    const { body, headers } = await documentIn(directory);
    return new Response(body, { status: 404, headers });
  });
}

function shellHandlers(directory: string): Handlers<typeof PAGE_SHELL_ROUTES> {
  const document = (): Promise<Response> => documentIn(directory);
  const home = ({ context }: { context: Context }): Response => context.redirect(PAGE_ROOT, 302);
  return {
    'page.shell.root': home,
    'page.shell.short': home,
    'page.shell.home': document,
    'page.shell.agent': document,
    'page.shell.activity': document,
    'page.shell.health': document,
    'page.shell.day': document,
    'page.shell.day.of': document,
    'page.shell.mail': document,
    'page.shell.requests': document,
    'page.shell.reminders': document,
    // At the root of the page, so that it may open every place of it. Its name stays the same, so it is checked again.
    'page.shell.worker': async () =>
      answer(await read(path.join(directory, 'service-worker.js')), {
        'content-type': TYPES['.js']!,
        'cache-control': 'no-cache',
      }),
    'page.shell.asset': async ({ context, params: { file } }) => {
      const type = TYPES[path.extname(file)];
      if (!/^[\w-][\w.-]{0,200}$/.test(file) || type === undefined)
        throw notFound(`there is no file ${file}`);
      const { bytes, headers } = await readEncoded(path.join(directory, 'assets', file), context);
      // Its name changes with its content.
      const forever = { 'cache-control': 'public, max-age=31536000, immutable' };
      return answer(bytes, { 'content-type': type, ...forever, ...headers });
    },
  };
}

const answer = (body: Buffer<ArrayBuffer>, headers: Record<string, string>): Response =>
  new Response(body, { headers: { ...PAGE_HEADERS, ...headers } });

/** The encodings that the build stores beside each text, best first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Returns the file in the best encoding that the browser accepts and the build stored. */
async function readEncoded(
  file: string,
  { req }: Context,
): Promise<{ bytes: Buffer<ArrayBuffer>; headers: Record<string, string> }> {
  const accepted = new Map(
    (req.header('accept-encoding') ?? '').split(',').map((each) => {
      const [word = '', ...more] = each.split(';').map((part) => part.trim().toLowerCase());
      return [word, !more.some((part) => /^q=0(\.0*)?$/.test(part))];
    }),
  );
  const vary = { vary: 'accept-encoding' };
  for (const [word, ending] of ENCODINGS) {
    if (accepted.get(word) !== true) continue;
    const bytes = await readIfThere(`${file}${ending}`);
    if (bytes) return { bytes, headers: { ...vary, 'content-encoding': word } };
  }
  return { bytes: await read(file), headers: vary };
}

async function readIfThere(file: string): Promise<Buffer<ArrayBuffer> | undefined> {
  try {
    return (await fs.readFile(file)) as Buffer<ArrayBuffer>;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function read(file: string): Promise<Buffer<ArrayBuffer>> {
  const bytes = await readIfThere(file);
  if (bytes) return bytes;
  if (path.basename(file) !== 'index.html') throw notFound(`there is no file ${path.basename(file)}`);
  throw unavailable('this copy of Rouse was built without its page', { hint: 'run "npm run build"' });
}
