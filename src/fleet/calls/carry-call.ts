import { type Clock, unavailable } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { callState, forgetWords, makeCall, type NewCall, withdrawCall } from './call-store.ts';

/** Who waits for answers in this process; one LISTEN serves them all, on whichever server the answer arrives. */
export interface AnswerWaiters {
  expect(id: string): { next(ms: number, signal: AbortSignal): Promise<boolean>; end(): void };
}

interface CarriedAnswer {
  status: number;
  answer: unknown;
}

interface Carrying extends Omit<NewCall, 'seconds'> {
  /** Of the agent, for errors. */
  name: string;
  host: string | null;
}

/** A gateway that holds its heartbeat takes a call within milliseconds; one that is between two, within a second or two. */
const TAKE_MS = 10_000;
const ANSWER_MS = 40_000;
/** Notifications are hints: without one, the row is looked at this often. */
const LOOK_MS = 2000;

/** Asks a gateway elsewhere, and waits for its answer. */
export async function carryCall(
  on: { sql: Sql; clock: Clock; answers: AnswerWaiters },
  call: Carrying,
  gone: AbortSignal,
): Promise<CarriedAnswer> {
  const { sql, clock } = on;
  const { name, host, ...wanted } = call;
  const id = await makeCall(sql, { ...wanted, seconds: TAKE_MS / 1000 });
  const began = clock.monotonic();
  const expected = on.answers.expect(id);
  try {
    for (;;) {
      const state = await callState(sql, id);
      if (state?.status != null) return { status: state.status, answer: state.answer };
      if (!state) throw notTaken(name, host);
      const left = (state.taken ? ANSWER_MS : TAKE_MS) - (clock.monotonic() - began);
      if (left <= 0 || gone.aborted) {
        if (state.taken) throw notAnswered(name, host);
        if (await withdrawCall(sql, id)) throw notTaken(name, host);
      }
      await expected.next(Math.min(LOOK_MS, Math.max(left, 50)), gone);
    }
  } finally {
    expected.end();
    await forgetWords(sql, id).catch(() => {});
  }
}

const where = (name: string, host: string | null): string =>
  `agent ${name}${host === null ? '' : ` on host ${host}`}`;

function notTaken(name: string, host: string | null): Error {
  return unavailable(`the gateway of ${where(name, host)} did not take the call; nothing was done`, {
    hint: 'see "rouse fleet show NAME"; is its gateway attached, and of this version?',
    facts: { cause: 'host_away', host },
  });
}

function notAnswered(name: string, host: string | null): Error {
  return unavailable(
    `the gateway of ${where(name, host)} took the call and did not answer; whether it was done is not known`,
    { hint: 'look at its requests before you try again', facts: { cause: 'no_answer', host } },
  );
}
