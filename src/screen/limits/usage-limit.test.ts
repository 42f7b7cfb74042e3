import { describe, expect, it } from 'vitest';
import { findUsageLimit, limitIn } from './usage-limit.ts';

describe('a usage limit', () => {
  it.each([
    ["● You've hit your session limit · resets 3pm (Europe/Berlin)", '3pm (Europe/Berlin)'],
    ['  ⎿  Usage limit reached · limit resets 7:30 PM', '7:30 PM'],
    ["■ You've hit your usage limit. Upgrade to Pro or try again at 4:05 PM.", '4:05 PM'],
    ['● spend limit reached · resets Dec 1', 'Dec 1'],
    [' Error: 429 The usage limit has been reached', null],
    ['│ Usage limit reached for gemini-3.5-flash-lite.', null],
    ['✕ Quota exceeded. Check your plan and billing details.', null],
    ['⚠ Claude usage limit reached. Your limit will reset at 7pm.', '7pm'],
    ['■ Your workspace is out of credits. Add credits to continue.', null],
    ['● You’re out of extra usage · resets 10am', '10am'],
    ['  ⎿  Weekly limit reached ∙ resets in 3 days', 'in 3 days'],
  ])('a usage limit is read from %s', (row, resets) => {
    const rows = ['● something before', '', row];
    expect(findUsageLimit(rows)?.resets?.replace(/^in /, '')).toBe(resets?.replace(/^in /, '') ?? undefined);
    expect(findUsageLimit(rows)).toBeDefined();
    expect(findUsageLimit([], ['  auto mode on', row])).toBeDefined();
  });

  it.each([
    'Your credit balance is too low',
    '■ Your workspace is out of credits. Add credits to continue.',
    '✕ Quota exceeded. Check your plan and billing details.',
    "● You've hit your monthly spend limit.",
    'Error: 429 You exceeded your current quota, please check your plan and billing details.',
  ])('spent credits are not a limit that ends: %s', (row) => {
    expect(limitIn(row)).toMatchObject({ spent: true, resets: null });
  });

  it.each([
    "● You've hit your monthly spend limit · resets Dec 1",
    '● You’re out of extra usage · resets 10am',
    ' Error: 429 The usage limit has been reached',
    "■ You've hit your usage limit. Upgrade to Pro or try again at 4:05 PM.",
  ])('a limit that ends is not spent credits: %s', (row) => {
    expect(limitIn(row)).not.toHaveProperty('spent');
  });

  it.each([
    'Error: 429 Rate limit reached for gpt-5 on tokens per minute (TPM)',
    '● API Error: Rate limit reached',
    'Quota exceeded for quota metric requests per minute',
    'Please run /login · API Error: 401 Invalid credentials',
  ])('neither a limit per minute nor a login is a usage limit: %s', (row) => {
    expect(limitIn(row)).toBeUndefined();
  });

  it('a notice below the composer did not end a turn', () => {
    const row = "● You've hit your session limit · resets 3pm";
    expect(findUsageLimit([row])).toMatchObject({ cut: true });
    expect(findUsageLimit([], [row])).not.toHaveProperty('cut');
  });

  it('the end of a usage limit is read as seconds since 1970', () => {
    expect(limitIn('Claude AI usage limit reached|1763251440')?.resets).toBe('1763251440');
  });

  it('a usage limit is not read from a row in the middle of an answer', () => {
    const rows = ['● This is what it printed:', "  You've hit your session limit · resets 3am (UTC)"];
    expect(findUsageLimit(rows)).toBeUndefined();
    expect(findUsageLimit(['● Done.', '', rows[1]!])).toBeUndefined();
    expect(findUsageLimit(["• You've hit your usage limit. Try again in 2h."])).toBeUndefined();
    expect(findUsageLimit(["✦ You've hit your usage limit. Try again in 2h."])).toBeUndefined();
    expect(findUsageLimit(["● You've hit your session limit · resets 3am"], [], () => false)).toBeUndefined();
    // The rest of the answer has scrolled away.
    expect(findUsageLimit([...rows.slice(1), '', '  Done.'])).toBeUndefined();
  });

  it.each([
    "You've used 90% of your weekly limit · resets 3pm",
    'Approaching usage limit · resets at 7pm',
    '● The function returns 429 when the rate limit is exceeded.',
    '  the loop stops once the limit is reached',
    'if (count > limit) throw new Error("limit reached")',
    '● I have reached the end of the file.',
  ])('a usage limit is not read from %s', (row) => {
    expect(findUsageLimit([row])).toBeUndefined();
  });

  it('the end of a usage limit is read from the row it was wrapped into', () => {
    const rows = [
      '■ You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit',
      'chatgpt.com/settings or try again at Nov 16th, 2026 12:24 AM.',
    ];
    expect(findUsageLimit(rows)?.resets).toBe('Nov 16th, 2026 12:24 AM');
  });

  it('the end of a usage limit is read from the third row of a narrow window', () => {
    const rows = [
      '■ You’ve hit your usage limit. Upgrade to Pro (https://',
      'chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage',
      'to purchase more credits or try again at Nov 20th, 2026 12:30 AM.',
    ];
    expect(findUsageLimit(rows)).toMatchObject({ resets: 'Nov 20th, 2026 12:30 AM' });
    expect(findUsageLimit(rows)).not.toHaveProperty('spent');
  });

  it.each([
    [
      [
        ' Error: Retry failed after 3 attempts: 429: {"type":"usage_limit_reached","message":"The usage limit has been',
        ' reached","plan_type":"plus","resets_at":1795136299,"eligible_promo":null,"resets_in_seconds":7186}',
      ],
      '1795136299',
    ],
    [
      [
        '✗ Failed to get response from the AI model; retried 5 times (total retry wait time: 57.21 seconds) Last error: 429',
        '  The usage limit has been reached',
      ],
      null,
    ],
    [['  ⎿  Credit balance too low · Add funds: https://platform.claude.com/settings/billing'], null],
  ])('a usage limit is read from what a tool shows that gave up: %j', (rows, resets) => {
    expect(findUsageLimit(['❯ go', '', ...rows])).toMatchObject({ resets, cut: true });
  });

  it('a turn that went on after its usage limit is not limited any more', () => {
    const armed = [
      '❯ Please count the files.',
      "  ⎿  You've hit your 5-hour limit · resets 10:34pm (UTC)",
      '',
      '● Usage limit reached · continuing automatically at 10:34pm · esc to cancel',
    ];
    expect(findUsageLimit(armed)).toMatchObject({ resets: '10:34pm' });
    const over = [...armed, '', '● Usage limit reset · Continuing automatically', '', '● Counted.'];
    expect(findUsageLimit(over)).toBeUndefined();
    expect(findUsageLimit([...over, '', ...armed.slice(1)])).toMatchObject({ resets: '10:34pm' });
  });

  it('a tool that shows that it continues by itself says so below its composer', () => {
    const footer = [
      '  ⚠ Usage limit reached · limit resets 12:30am',
      '    Continuing shortly · Esc to cancel',
    ];
    expect(findUsageLimit([], footer)).toEqual({
      text: 'Usage limit reached · limit resets 12:30am',
      resets: '12:30am',
      continues: true,
    });
  });

  it('the newest of several usage limits counts', () => {
    const rows = [
      "● You've hit your session limit · resets 3pm",
      "● You've hit your session limit · resets 8pm",
    ];
    expect(findUsageLimit(rows)?.resets).toBe('8pm');
  });
});
