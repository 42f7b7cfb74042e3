/**
 * A2A: agents as the Agent2Agent protocol sees them. Any client of it, of version 1.0 or 0.3, can read an agent's card,
 * send it a message and follow what becomes of it.
 *
 * Promises  A task is a message of the delivery queue with the same id: its state is what the queue knows, on every server.
 *           The same messageId from the same sender is one message, however often it comes and after it has ended too.
 *           Text of a sender becomes a quotation under one line of ours, which it cannot imitate.
 * Never     Keeps a task in memory, calls a URL that a client gave, takes files or data, or shows a task to anybody
 *           but its sender.
 * Errors    Those of the protocol; `not_found` for an agent of another tenant before anything else is looked at.
 */
export { agentCard, cardAsJson } from './agent-card.ts';
export { answerJsonRpc, parseError } from './answer-json-rpc.ts';
export type { GatewayOf } from './cancel-task.ts';
export { MAX_TEXT_BYTES } from './prompt-text.ts';
export { AgentRequestHandler } from './request-handler.ts';
export { addresseeOf, requireAddressee, sendToAgent } from './send.ts';
export { TaskWatch } from './task-watch.ts';
