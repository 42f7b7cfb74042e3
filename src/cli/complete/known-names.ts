import * as path from 'node:path';
import { preview, systemClock } from '../../base/index.ts';
import { fleetMail } from '../../client/index.ts';
import { teamOf } from '../../config/index.ts';
import type { MailboxBinding } from '../../wire/index.ts';
import { sessionContext } from '../agents/target.ts';
import type { Input } from '../command.ts';
import { harmless } from '../print/terminal-text.ts';
import type { Candidate, NamesOf, Typed } from './complete-words.ts';

/** Tab must not hang: what is not known after this time is not offered. */
const MAX_MS = 1500;
const MAX_MESSAGES = 30;

/** Names found in files, without HTTP and without tmux. */
export function knownNames(input: Input): NamesOf {
  return async (named, typed) => {
    switch (named) {
      case 'agent':
        return agents(input);
      case 'tool':
        return tools(input);
      case 'member':
        return (teamOf(input.settings.config)?.members ?? []).map(([word, { value }]) => ({
          word,
          meaning: value.tool ?? '',
        }));
      case 'message':
        return withinTime(messages(input, typed));
    }
  };
}

async function agents(input: Input): Promise<Candidate[]> {
  const { knownAgents, spokenNames } = await import('../../session/index.ts');
  const known = knownAgents(input.settings.registryDir, systemClock);
  const names = spokenNames(known, sessionContext(input).here);
  return known.map(({ tool }, at) => ({ word: names[at]!, meaning: tool }));
}

async function tools({ settings }: Input): Promise<Candidate[]> {
  const { toolNames } = await import('../../tools/index.ts');
  const { own, project } = settings.config;
  const presets = [own, project].flatMap((file) => Object.entries(file?.checked?.values.tools ?? {}));
  const known = toolNames();
  return [
    ...known.map((word) => ({ word, meaning: '' })),
    ...presets
      .filter(([word]) => !known.includes(word))
      .map(([word, { tool }]) => ({ word, meaning: `preset of ${tool ?? word}` })),
    { word: 'command', meaning: 'any program, after "--"' },
  ];
}

async function withinTime(work: Promise<Candidate[]>): Promise<Candidate[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Candidate[]>((resolve) => {
    timer = setTimeout(() => resolve([]), MAX_MS);
  });
  try {
    return await Promise.race([work, late]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

/** The newest messages of the mailbox that the line names, read from the store. */
async function messages(input: Input, { flags, words }: Typed): Promise<Candidate[]> {
  const { NO_FILE, openMailbox, openMailboxAt } = await import('../../mail/index.ts');
  const binding = await bindingOf(input, flags['agentName'] ?? words[0]);
  const root =
    typeof flags['mailboxRoot'] === 'string' ? path.resolve(flags['mailboxRoot']) : input.settings.mailboxDir;
  const address = typeof flags['address'] === 'string' ? flags['address'] : undefined;
  const { mailbox, close } = binding
    ? await openMailbox(binding, { clock: systemClock, connectFleet: fleetMail })
    : await openMailboxAt(root, { address, transport: undefined });
  try {
    const { runMailOperation } = await import('../../gateway/offline-mail.ts');
    const answer = (await runMailOperation(
      'list',
      { limit: MAX_MESSAGES },
      {
        open: async () => mailbox,
        files: NO_FILE,
      },
    )) as {
      messages: { message_ref: string; subject: string }[];
    };
    return answer.messages.map(({ message_ref, subject }) => ({
      word: message_ref,
      meaning: preview(subject, 60),
    }));
  } finally {
    await close();
  }
}

/** The mailbox of the named agent, else of the agent of this session. */
async function bindingOf(input: Input, name: unknown): Promise<MailboxBinding | undefined> {
  const { knownAgents, manifestHere, readManifestFacts } = await import('../../session/index.ts');
  const context = sessionContext(input);
  const here = name === undefined ? await manifestHere(context) : undefined;
  const found = knownAgents(context.settings.registryDir, systemClock).find(
    ({ agentName }) => agentName === name,
  );
  const manifest = found?.manifestPath ?? here;
  if (!manifest) return undefined;
  const plan = readManifestFacts(manifest).document['launch_plan'] as
    | { mailbox?: MailboxBinding }
    | undefined;
  return plan?.mailbox ?? undefined;
}

/** One line per candidate; a word that a shell could misread is left out. */
export function completionText(candidates: Candidate[], files: boolean): string {
  const lines = candidates
    .filter(({ word }) => /^[\w@%+=:,./-]+$/.test(word))
    .map(({ word, meaning }) => `${word}\t${harmless(meaning).replace(/\s+/g, ' ')}`);
  return [...lines, ...(files ? [':files'] : [])].map((line) => `${line}\n`).join('');
}
