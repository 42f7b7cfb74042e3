/**
 * The gateway: one sidecar per agent session. It accepts work durably, waits for the right moment, puts it into the
 * agent through the one lane, and can prove what it did.
 *
 * Promises  One gateway per session (a lock held for life). /health returns its instance id.
 *           Idle costs nothing: no writes, no polling.
 * Never     Speaks to another gateway or to the fleet's database; those meet over HTTP.
 * Errors    A start that fails leaves a structured cause (`facts.cause`) and nothing running.
 */
export { agentTools } from './agent-tools.ts';
export { gatewayDoor } from './door.ts';
export { portBefore, writeAttempt } from './files/index.ts';
export { type RunningGateway, startGateway } from './gateway.ts';

export { saveHeadlessProgress } from './headless-progress.ts';
export { readWakeTemplate, type WakeTemplate } from './notifier/index.ts';
export { servingServer } from './serving-server.ts';
export { readSession, type SessionFacts, sessionReader } from './session-facts.ts';
