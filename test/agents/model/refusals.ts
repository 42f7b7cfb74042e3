import type { Json } from './conversation.ts';

/** A refusal in the words of a vendor's API. */
export interface Refusal {
  status: number;
  headers: Record<string, string>;
  body: Json;
}

const seconds = (atMs: number): number => Math.floor(atMs / 1000);
const left = (atMs: number): number => Math.max(1, Math.ceil((atMs - Date.now()) / 1000));

/** A window of a Claude subscription that is used up: the headers state it; the message does not. */
function claudeWindow(claim: 'five_hour' | 'seven_day', untilMs: number): Refusal {
  const reset = String(seconds(untilMs));
  const weekly = claim === 'seven_day' ? reset : String(seconds(untilMs + 3 * 86_400_000));
  const [used, free] = ['rejected', 'allowed'];
  return {
    status: 429,
    headers: {
      'retry-after': String(left(untilMs)),
      'x-should-retry': 'true',
      'anthropic-ratelimit-unified-status': used,
      'anthropic-ratelimit-unified-reset': reset,
      'anthropic-ratelimit-unified-representative-claim': claim,
      'anthropic-ratelimit-unified-fallback': 'unavailable',
      'anthropic-ratelimit-unified-overage-status': 'rejected',
      'anthropic-ratelimit-unified-overage-disabled-reason': 'org_level_disabled',
      'anthropic-ratelimit-unified-5h-status': claim === 'five_hour' ? used : free,
      'anthropic-ratelimit-unified-5h-reset':
        claim === 'five_hour' ? reset : String(seconds(Date.now()) + 9000),
      'anthropic-ratelimit-unified-5h-utilization': claim === 'five_hour' ? '1.0' : '0.4',
      'anthropic-ratelimit-unified-7d-status': claim === 'seven_day' ? used : free,
      'anthropic-ratelimit-unified-7d-reset': weekly,
      'anthropic-ratelimit-unified-7d-utilization': claim === 'seven_day' ? '1.0' : '0.5',
    },
    body: anthropic(
      'rate_limit_error',
      "This request would exceed your account's rate limit. Please try again later.",
    ),
  };
}

const anthropic = (type: string, message: string): Json => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
});

const google = (message: string, details: Json[] = []): Json => ({
  error: { code: 429, message, status: 'RESOURCE_EXHAUSTED', details },
});

function googleQuota(quotaId: string, quotaValue: string, retryS: number): Refusal {
  const metric = 'generativelanguage.googleapis.com/generate_content_free_tier_requests';
  const said = `You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\n* Quota exceeded for metric: ${metric}, limit: ${quotaValue}\nPlease retry in ${retryS}s.`;
  return {
    status: 429,
    headers: {},
    body: google(said, [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [
          {
            quotaMetric: metric,
            quotaId,
            quotaDimensions: { location: 'global', model: 'gemini-3-flash' },
            quotaValue,
          },
        ],
      },
      {
        '@type': 'type.googleapis.com/google.rpc.Help',
        links: [
          {
            description: 'Learn more about Gemini API quotas',
            url: 'https://ai.google.dev/gemini-api/docs/rate-limits',
          },
        ],
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryS}s` },
    ]),
  };
}

const openAi = (status: number, error: Json, headers: Record<string, string> = {}): Refusal => ({
  status,
  headers,
  body: { error: { param: null, ...error } },
});

/** What the vendors return, as far as public. `untilMs`: when the limit ends. */
export const REFUSALS = {
  claude_5h: (untilMs) => claudeWindow('five_hour', untilMs),
  claude_7d: (untilMs) => claudeWindow('seven_day', untilMs),
  anthropic_per_minute: () => ({
    status: 429,
    headers: {
      'retry-after': '3',
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': new Date(Date.now() + 3000).toISOString(),
    },
    body: anthropic(
      'rate_limit_error',
      'This request would exceed the rate limit for your organization of 50 requests per minute.',
    ),
  }),
  anthropic_credits: () => ({
    status: 400,
    headers: {},
    body: anthropic(
      'invalid_request_error',
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    ),
  }),
  anthropic_401: () => ({
    status: 401,
    headers: { 'x-should-retry': 'false' },
    body: anthropic(
      'authentication_error',
      'OAuth token has expired. Please obtain a new token or refresh your existing token.',
    ),
  }),
  codex: (untilMs) => ({
    status: 429,
    headers: {
      'x-codex-active-limit': 'premium',
      'x-codex-plan-type': 'plus',
      'x-codex-primary-used-percent': '100',
      'x-codex-primary-window-minutes': '300',
      'x-codex-primary-reset-after-seconds': String(left(untilMs)),
      'x-codex-primary-reset-at': String(seconds(untilMs)),
      'x-codex-secondary-used-percent': '80',
      'x-codex-secondary-window-minutes': '10080',
      'x-codex-secondary-reset-after-seconds': String(left(untilMs) + 316_705),
      'x-codex-secondary-reset-at': String(seconds(untilMs) + 316_705),
      'x-codex-credits-has-credits': 'False',
      'x-codex-credits-balance': '0',
      'x-codex-credits-unlimited': 'False',
    },
    body: {
      error: {
        type: 'usage_limit_reached',
        message: 'The usage limit has been reached',
        plan_type: 'plus',
        resets_at: seconds(untilMs),
        eligible_promo: null,
        resets_in_seconds: left(untilMs),
      },
    },
  }),
  openai_per_minute: () =>
    openAi(
      429,
      {
        type: 'tokens',
        code: 'rate_limit_exceeded',
        message:
          'Rate limit reached for gpt-5.5 in organization org-x on tokens per min (TPM): Limit 30000, Used 28421, Requested 5123. Please try again in 3s.',
      },
      { 'retry-after': '3', 'x-ratelimit-reset-tokens': '3s' },
    ),
  openai_credits: () =>
    openAi(429, {
      type: 'insufficient_quota',
      code: 'insufficient_quota',
      message:
        'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
    }),
  openai_401: () =>
    openAi(401, {
      type: 'invalid_request_error',
      code: 'invalid_api_key',
      message: 'Incorrect API key provided.',
    }),
  gemini_day: (untilMs) =>
    googleQuota('GenerateRequestsPerDayPerProjectPerModel-FreeTier', '250', left(untilMs)),
  gemini_minute: () => googleQuota('GenerateRequestsPerMinutePerProjectPerModel-FreeTier', '10', 3),
  gemini_401: () => ({
    status: 400,
    headers: {},
    body: {
      error: {
        code: 400,
        message: 'API key not valid. Please pass a valid API key.',
        status: 'INVALID_ARGUMENT',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'API_KEY_INVALID',
            domain: 'googleapis.com',
          },
        ],
      },
    },
  }),
} satisfies Record<string, (untilMs: number) => Refusal>;
