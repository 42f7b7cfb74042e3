import { conflict, invalid } from '../../base/index.ts';
import type { Input } from '../command.ts';
import { noSuchMail, orNothing, type Reader, withNumbers } from './my-mail.ts';

/** A message that a word on the command line names. */
export interface NamedMail {
  /** As it was typed. */
  word: string;
  mailbox: string;
  ref: string;
  /** It is in the reader's own mailbox. */
  isMine: boolean;
}

/** Shorter ones match by accident. */
const SHORTEST_PREFIX = 4;
/** How much of the reader's mail is searched for a reference by its beginning, newest first. */
const PREFIX_PAGES = 10;
const PAGE = 200;

/** The messages with these numbers, references or unique beginnings of references. */
export async function findMails(
  input: Input,
  reader: Reader,
  words: readonly string[],
): Promise<NamedMail[]> {
  const found: NamedMail[] = [];
  for (const word of words) {
    const mail = /^\d{1,9}$/.test(word) ? await byNumber(input, reader, word) : await byRef(reader, word);
    if (found.some(({ ref, mailbox }) => ref === mail.ref && mailbox === mail.mailbox))
      throw invalid(`${word} names a message a second time`, { hint: 'name each message once' });
    found.push(mail);
  }
  return found;
}

async function byNumber(input: Input, reader: Reader, word: string): Promise<NamedMail> {
  const mail = await withNumbers(input, (numbers) => numbers.find(reader.address, Number(word)));
  if (!mail) throw noSuchMail(word);
  return { word, ...mail, isMine: mail.mailbox === reader.address };
}

async function byRef(reader: Reader, word: string): Promise<NamedMail> {
  const mine = { word, mailbox: reader.address, isMine: true };
  if (await orNothing(reader.ask('peek', { message_ref: word }))) return { ...mine, ref: word };
  const refs = word.length < SHORTEST_PREFIX ? [] : await refsLike(reader, word);
  if (refs.length > 1)
    throw conflict(`${word} may be ${refs.length} messages`, {
      hint: `name one: ${refs.slice(0, 5).join(', ')}`,
    });
  const [ref] = refs;
  if (ref === undefined) throw noSuchMail(word);
  return { ...mine, ref };
}

/** References that begin with `word`, with or without the parts that all of them share. */
async function refsLike(reader: Reader, word: string): Promise<string[]> {
  const found = new Set<string>();
  for (const box of ['inbox', 'archive', 'sent']) {
    let cursor: unknown = null;
    for (let page = 0; page < PREFIX_PAGES && cursor !== undefined; page++) {
      const body = { box, limit: PAGE, ...(cursor !== null && { cursor }) };
      const answer = await orNothing(reader.ask('list', body));
      const messages = (answer?.['messages'] ?? []) as { message_ref: string }[];
      for (const { message_ref: ref } of messages) if (beginsWith(ref, word)) found.add(ref);
      cursor = answer?.['next_cursor'] ?? undefined;
    }
  }
  return [...found];
}

function beginsWith(ref: string, word: string): boolean {
  const id = ref.slice(ref.indexOf(':') + 1);
  return [ref, id, id.replace(/^msg-/, '')].some((each) => each.startsWith(word));
}
