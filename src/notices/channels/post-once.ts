import { messageOf } from '../../base/index.ts';
import { SendingFailed } from './channel.ts';

const PATIENCE_MS = 10_000;
const MAX_RETRY_AFTER_MS = 3_600_000;

interface Post {
  /** Named in errors, which never show the URL: it may be a secret. */
  what: string;
  url: string;
  headers: Record<string, string>;
  body: string | Buffer<ArrayBuffer>;
  signal: AbortSignal;
}

/** One POST. It does not follow redirects, reads no response, and does not outlive its patience, whatever the receiver does. */
export async function postOnce(post: Post): Promise<void> {
  const { what } = post;
  const response = await responseTo(post);
  await response.body?.cancel().catch(() => {});
  const { ok, status } = response;
  if (ok) return;
  if (status >= 300 && status < 400)
    throw new SendingFailed(`${what} redirects (${status}), and redirects are not followed`, { status });
  const retryAfterMs = retryAfter(response);
  throw new SendingFailed(`${what} returned ${status}`, {
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

async function responseTo({ what, url, headers, body, signal }: Post): Promise<Response> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    return await fetch(url, {
      ...{ method: 'POST', headers, body, redirect: 'manual' },
      signal: AbortSignal.any([signal, patience]),
    });
  } catch (error) {
    if (patience.aborted) throw new SendingFailed(`${what} did not respond within ${PATIENCE_MS / 1000} s`);
    const { cause } = error as { cause?: unknown };
    const code = (cause as { code?: unknown } | undefined)?.code;
    throw new SendingFailed(
      `${what} cannot be reached: ${typeof code === 'string' ? code : messageOf(error).replaceAll(url, 'its URL')}`,
    );
  }
}

function retryAfter({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(MAX_RETRY_AFTER_MS, seconds * 1000) : undefined;
}
