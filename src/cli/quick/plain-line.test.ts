import { describe, expect, it } from 'vitest';
import agents from '../agents/agents.ts';
import { STATUS } from '../agents/gateway.ts';
import type { Command } from '../command.ts';
import { ls } from '../ls/ls.ts';
import mail from '../mail/mail.ts';
import mailfile from '../mailfile/mailfile.ts';
import { buildParser } from '../parse.ts';
import type { Match } from '../run-line.ts';
import { plainMatch } from './plain-line.ts';

const FAMILIES: Record<string, Command> = { ls, status: STATUS, agents, mail, mailfile };
const MARK = 'mail mark --message-ref a --message-ref b --read';

/** As the whole command line understands it. */
async function full(words: string[]): Promise<Match | undefined> {
  let match: Match | undefined;
  const root: Command = { name: 'rouse', summary: '', subcommands: Object.values(FAMILIES) };
  const parser = await buildParser(root, words, (found) => {
    match = found;
  });
  await parser.parseAsync(words, { from: 'user' });
  return match;
}

function plain(words: string[]): Match | undefined {
  return plainMatch(FAMILIES[words[0]!]!, words.slice(1), ['rouse']);
}

const given = (flags: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));

describe('a plain line is understood as the full parser understands it', () => {
  for (const line of [
    'ls',
    'ls --watch',
    'status ana',
    'status --agent-name ana --pair-port 9889',
    'agents list',
    'agents gateway status ana',
    'agents gateway tui state --agent-name ana',
    'mail list --address ana@houmao.localhost --read-state unread --limit 5',
    'mail search deploy failed --include-body',
    'mail send --to ben --to cleo --subject done --body-content text',
    MARK,
    'mailfile prepend --mailbox inbox.md --generate-id',
    'mailfile prepend --mailbox inbox.md --timeout-seconds 2 --compat-lock',
  ])
    it(line, async () => {
      const [mine, theirs] = [plain(line.split(' ')), await full(line.split(' '))];
      expect(mine?.command.name).toBe(theirs!.command.name);
      expect(mine?.args).toEqual(theirs!.args);
      expect(given(mine!.flags)).toEqual(given(theirs!.flags));
    });
});

describe('what is not plain is left to the full parser', () => {
  for (const line of [
    'ls --help',
    'ls -w',
    'ls ana',
    'ls --wach',
    'status ana ben',
    'status -- ana',
    'status --agent-name',
    'status --pair-port many',
    'agents',
    'agents gateway',
    'agents lst',
    'mail list --limit=5',
    'mail list --limit -5',
    'mail list --limit 5 --limit 6',
    'mail list --read-state seen',
    'mail list --transport filesystem',
    `${MARK} --unread`,
    'mail send --to ben',
    'mail search',
    'mailfile prepend',
  ])
    it(line, () => {
      expect(plain(line.split(' '))).toBeUndefined();
    });
});
