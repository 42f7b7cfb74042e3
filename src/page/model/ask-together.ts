import type { PageSeveral } from '../../wire/index.ts';
import { ask, PageError, pathOf, type Question, refusalOf } from './ask.ts';

interface Waiting {
  path: string;
  resolve(body: unknown): void;
  reject(error: unknown): void;
}

let gathered: Waiting[] | undefined;

/** Asks the server; inside `together`, several such calls become one request. */
export function askShown<T>(path: string, question: Pick<Question, 'query' | 'signal'>): Promise<T> {
  if (!gathered) return ask<T>(path, question);
  const waiting = gathered;
  return new Promise<T>((resolve, reject) => {
    waiting.push({ path: pathOf(path, question.query), resolve: (body) => resolve(body as T), reject });
  });
}

/** Everything that `begin` asks for before it returns is sent as one request. */
export function together(begin: () => Promise<unknown>): Promise<unknown> {
  const round: Waiting[] = [];
  gathered = round;
  try {
    return begin();
  } finally {
    gathered = undefined;
    void send(round);
  }
}

/** The server accepts this many in one request. */
const MAX_ASKED = 16;

async function send(round: Waiting[]): Promise<void> {
  if (round.length > MAX_ASKED) void send(round.splice(MAX_ASKED));
  const [first] = round;
  if (!first) return;
  try {
    if (round.length === 1) return first.resolve(await ask(first.path));
    const lines = round.map(({ path }) => path).join('\n');
    const { answers } = await ask<PageSeveral>('several', { query: { ask: lines } });
    for (const [at, { path, resolve, reject }] of round.entries()) {
      const { status, body } = answers[at] ?? { status: 0, body: {} };
      if (status === 200) resolve(body);
      else reject(refusalOf(status, body, path));
    }
  } catch (error) {
    const failure = error instanceof Error ? error : new PageError(0, 'unknown', String(error));
    for (const { reject } of round) reject(failure);
  }
}
