/**
 * Calls: requests to a gateway on another host, which this server cannot reach. The gateway fetches them with the
 * heartbeat it holds open, runs them through its own routes, and sends the answer.
 *
 * Promises  A call is handed to one session once, and never again, so nothing is done twice. The caller learns whether it was
 *           not taken (nothing was done), was answered, or was taken and not answered (unknown).
 * Never     Carries a route that is not on the list, or anything to an agent that the caller may not address.
 */
export { answerCall, CALL_CHANNEL, takeCalls } from './call-store.ts';
export { type AnswerWaiters, carryCall } from './carry-call.ts';
