import { type Clock, unavailable } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { callState, forgetWords, makeCall, type NewCall, withdrawCall } from './call-store.ts';

/** Waiters of this process; one LISTEN serves them all, on whichever server the answer arrives. */
export interface AnswerWaiters {
  expect(id: string): { next(ms: number, signal: AbortSignal): Promise<boolean>; end(): void };
}

interface CarriedAnswer {
  status: number;
  answer: unknown;
}

interface Carrying extends Omit<NewCall, 'seconds'> {
  /** The agent's name, for errors. */
  name: string;
  host: string | null;
}

/**
 * A gateway that holds its heartbeat takes a call within milliseconds; one between two heartbeats, within a second or
 * two.
 */
const TAKE_MS = 10_000;
const ANSWER_MS = 40_000;
/** Notifications are hints: without one, the row is read this often. */
const LOOK_MS = 2000;

/** Sends a call to a gateway on another host and waits for its answer. */
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
    hint: 'check with "rouse fleet show NAME" that its gateway is attached and has this version',
    facts: { cause: 'host_away', host },
  });
}

function notAnswered(name: string, host: string | null): Error {
  return unavailable(
    `the gateway of ${where(name, host)} took the call but did not respond; it is not known whether it was done`,
    { hint: 'check its requests before you try again', facts: { cause: 'no_answer', host } },
  );
}
