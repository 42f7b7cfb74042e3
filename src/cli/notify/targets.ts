import * as fs from 'node:fs';
import { invalid, randomHex, shellQuote } from '../../base/index.ts';
import { type Channel, WEBHOOK_FORMATS, type WebhookFormat } from '../../domain/index.ts';
import type { ChannelTargets, Target } from '../../notices/index.ts';
import type { Input } from '../command.ts';
import { readTextFile } from '../input/text-file.ts';
import { noticesDirectory } from './outbox.ts';

export interface TargetFlags {
  urlFile?: string | undefined;
  secretFile?: string | undefined;
  format?: WebhookFormat | undefined;
  to?: string | undefined;
  from?: string | undefined;
  text?: boolean | undefined;
}

type TargetInput = Input<TargetFlags>;

/** Where the notices of a channel go, from the command line and the files that it names. */
export async function targetFrom(channel: Channel, input: TargetInput): Promise<Target> {
  const [, word, more] = input.args;
  if (more !== undefined) throw invalid(`unexpected word ${JSON.stringify(more)}`);
  switch (channel) {
    case 'webhook':
      return webhook(input, word);
    case 'email':
      return email(input, word);
    case 'web-push':
      return webPush(input, word);
    case 'desktop':
      refuse(channel, word, input.flags);
      return (await import('../../notices/index.ts')).desktopTarget(input.env);
    case 'status-line':
      refuse(channel, word, input.flags);
      return {};
  }
}

function refuse(channel: Channel, word: string | undefined, flags: TargetFlags): void {
  if (word !== undefined) throw invalid(`the channel ${channel} takes no ${JSON.stringify(word)}`);
  const { urlFile, secretFile, format, to, from } = flags;
  const given = Object.entries({ urlFile, secretFile, format, to, from }).find(
    ([, value]) => value !== undefined,
  );
  if (given)
    throw invalid(
      `--${given[0].replace(/[A-Z]/g, (each) => `-${each.toLowerCase()}`)} is not for ${channel}`,
    );
}

/** Which browser it is for is not known yet: the first that turns it on. */
async function webPush(input: TargetInput, word: string | undefined): Promise<ChannelTargets['web-push']> {
  const { from, ...others } = input.flags;
  refuse('web-push', word, others);
  if (input.flags.text)
    throw invalid('Web Push says who and which kind, never what it is about: leave --text out');
  if (from !== undefined) requireAddress(from);
  const { ensureVapidKeys } = await import('../../notices/index.ts');
  await ensureVapidKeys(noticesDirectory(input));
  return { subject: `mailto:${from ?? NO_CONTACT}`, device: null };
}

/** Push services want an address of the sender, for complaints. */
const NO_CONTACT = 'rouse@example.org';

async function webhook(input: TargetInput, word: string | undefined): Promise<ChannelTargets['webhook']> {
  const { format = 'standard', to, secretFile } = input.flags;
  const text = word ?? (await secretOf(input, 'url-file', input.flags.urlFile));
  if (text === undefined)
    throw invalid('a webhook needs its URL', { hint: 'name it, or a file with it: --url-file FILE' });
  const url = urlOf(text, ['https:', 'http:'], 'https://hooks.example.org/rouse');
  const chat = CHATS[format];
  if (chat !== undefined && to === undefined)
    throw invalid(`${WEBHOOK_FORMATS[format].words} needs --to ${chat}`);
  if (chat === undefined && to !== undefined)
    throw invalid(`--to is not for ${WEBHOOK_FORMATS[format].words}`);
  const secret = (await secretOf(input, 'secret-file', secretFile)) ?? newSecret();
  if (!/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(secret))
    throw invalid('the signing secret must be "whsec_" and base64', {
      hint: 'leave it out, and one is made',
    });
  return { url, format, secret, ...(to !== undefined && { chat: to }) };
}

const CHATS: { [F in WebhookFormat]?: string } = { telegram: 'CHAT_ID', ntfy: 'TOPIC' };

const newSecret = (): string => `whsec_${Buffer.from(randomHex(24), 'hex').toString('base64')}`;

async function email(input: TargetInput, to: string | undefined): Promise<ChannelTargets['email']> {
  const { urlFile, from = to } = input.flags;
  if (to === undefined || from === undefined)
    throw invalid('e-mail needs an address', { hint: EMAIL_EXAMPLE });
  for (const address of [to, from]) requireAddress(address);
  const text = await secretOf(input, 'url-file', urlFile);
  if (text === undefined)
    throw invalid('e-mail needs the URL of a mail server in a file', { hint: EMAIL_EXAMPLE });
  return { to, from, smtp_url: urlOf(text, ['smtp:', 'smtps:'], 'smtps://user:password@mail.example.org') };
}

function requireAddress(address: string): void {
  if (!/^[^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,255}$/.test(address))
    throw invalid(`${JSON.stringify(address)} is not an e-mail address`);
}

const EMAIL_EXAMPLE = 'rouse notify add email ana@example.org --url-file ~/.smtp-url';

/** Errors do not repeat it: it may be a secret. */
function urlOf(text: string, protocols: string[], example: string): string {
  try {
    const url = new URL(text);
    if (protocols.includes(url.protocol) && url.hostname !== '') return url.href;
  } catch {
    // Reported below.
  }
  throw invalid(`the URL must begin with ${protocols.map((each) => `${each}//`).join(' or ')}`, {
    hint: `such as ${example}`,
  });
}

/** The one line of a private file, or of standard input. */
async function secretOf(
  input: TargetInput,
  flag: string,
  file: string | undefined,
): Promise<string | undefined> {
  if (file === undefined) return undefined;
  if (file !== '-') {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (stat?.isFile() && (stat.mode & 0o077) !== 0)
      throw invalid(`other accounts may read ${file}`, { hint: `chmod 600 ${shellQuote(file)}` });
  }
  const text = (file === '-' ? await input.stdin() : readTextFile(`--${flag}`, file)).trim();
  if (text === '' || /\s/.test(text)) throw invalid(`--${flag} ${file} must contain one line`);
  return text;
}

/** Where it goes, without what may be a secret. */
export function shownTarget(channel: Channel, target: Target): string | null {
  if (channel === 'web-push') {
    const { device } = target as ChannelTargets['web-push'];
    return device === null ? 'waits for a browser' : `${device.name} of ${device.person}`;
  }
  if (channel === 'email') return (target as ChannelTargets['email']).to;
  if (channel !== 'webhook') return null;
  const { url, format, chat } = target as ChannelTargets['webhook'];
  return `${format} at ${new URL(url).host}${chat === undefined ? '' : ` for ${chat}`}`;
}
