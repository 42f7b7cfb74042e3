import { describeLimited } from './limit-suite.ts';
import { REAL_TOOLS } from './support/real-tools.ts';

describeLimited({
  tool: REAL_TOOLS.claude,
  // Claude Code reads the limits of a subscription for its own login only.
  env: { ANTHROPIC_AUTH_TOKEN: '', CLAUDE_CODE_OAUTH_TOKEN: 'credential-of-this-test-4711' },
  limit: 'claude_5h',
  continues: /^Your claude\.ai usage limit has reset\b/,
  others: [
    ['anthropic_per_minute', /phase='active'/],
    ['anthropic_credits', /credits_spent/],
    ['anthropic_401', /logged_out/],
  ],
});

describeLimited({
  tool: REAL_TOOLS.codex,
  limit: 'codex',
  others: [['openai_401', /logged_out/]],
});
