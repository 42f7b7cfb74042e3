/**
 * A2A: agents as the Agent2Agent protocol sees them. Any client, of version 1.0 or 0.3, can read an agent's card,
 * send it a message and follow the task to its end.
 *
 * Promises  A task is a message of the delivery queue with the same id: its state is what the queue knows, on every server.
 *           The same messageId from the same sender is one message, however often it comes, even after it has ended.
 *           A sender's text becomes a quotation under one line of ours, which it cannot imitate.
 * Never     Keeps a task in memory, calls a URL that a client sent, takes files or data, or shows a task to anyone
 *           but its sender.
 * Errors    Those of the protocol; `not_found` for an agent of another tenant before anything else is checked.
 */
export { agentCard, cardAsJson } from './agent-card.ts';
export { answerJsonRpc, parseError } from './answer-json-rpc.ts';
export type { GatewayOf } from './cancel-task.ts';
export { MAX_TEXT_BYTES } from './prompt-text.ts';
export { AgentRequestHandler } from './request-handler.ts';
export { addresseeOf, requireAddressee, sendToAgent } from './send.ts';
export { TaskWatch } from './task-watch.ts';
