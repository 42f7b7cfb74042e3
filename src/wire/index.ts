/**
 * Wire: everything that crosses a process boundary. Routes with their bodies and responses, files, variables, and the codes
 * of errors.
 *
 * Promises  One noun, one schema: types, checks and the OpenAPI document come from it.
 *           Unknown keys are refused, nothing is coerced, a wrong schema_version is refused.
 *           capabilities.ts, codes.ts, place.ts and places.ts load no schema library; programs that must start fast import
 *           them directly.
 * Never     Opens a file or a socket.
 * Errors    `invalid`, naming each bad field by its path with what is allowed (parse-body.ts).
 */

export { currentServer } from './agents/managed-agent-answers.ts';
export * from './agents/managed-agent-routes.ts';
export * from './agents/managed-agents.ts';
export * from './capabilities.ts';
export * from './codes.ts';
export type { BodyIssue } from './describe-issues.ts';
export * from './env.ts';
export { isStorableJson, NOT_STORABLE } from './fields.ts';
export * from './files/attach.ts';
export * from './files/beside.ts';
export * from './files/current-instance.ts';
export * from './files/desired-config.ts';
export * from './files/fleet-membership.ts';
export * from './files/gateway-event.ts';
export type { GlanceFile } from './files/glance-file.ts';
export * from './files/host-files.ts';
export * from './files/launch-plan.ts';
export * from './files/manifest.ts';
export { BACKEND_SECTIONS, type BackendSection, backendSection } from './files/manifest-rules.ts';
export * from './files/notice-place.ts';
export * from './files/pause-file.ts';
export { publishManifest } from './files/publish-manifest.ts';
export * from './files/registry-record.ts';
export * from './files/session-files.ts';
export { splitFile } from './files/split-file.ts';
export * from './fleet/admin.ts';
export * from './fleet/admin-routes.ts';
export * from './fleet/delivery.ts';
export * from './fleet/delivery-routes.ts';
export * from './fleet/mailbox.ts';
export * from './fleet/mailbox-routes.ts';
export * from './fleet/registry.ts';
export * from './fleet/registry-routes.ts';
export * from './fleet/request-bodies.ts';
export * from './fleet/request-queries.ts';
export * from './fleet/request-routes.ts';
export * from './fleet/request-views.ts';
export * from './fleet/server.ts';
export * from './fleet/sweepers.ts';
export * from './fleet-routes.ts';
export type * from './host.ts';
export * from './mcp-routes.ts';
export * from './openapi.ts';
export * from './page/index.ts';
export * from './parse-body.ts';
export { fillPath, type Method, prefixed } from './place.ts';
export { CARRIED_ROOTS, gatewayPath, isPageDocument, isPagePath, PAGE_ROOT } from './places.ts';
export { REMOTE_ROUTES, remoteRoute } from './remote-routes.ts';
export * from './route.ts';
export * from './routes.ts';
export { type SourceView, sourceView, type WireMode, wireMode } from './source/source-view.ts';
export * from './v1/control-prompt.ts';
export * from './v1/error-body.ts';
export * from './v1/headless.ts';
export * from './v1/health.ts';
export * from './v1/mail-notifier.ts';
export * from './v1/mail-receipts.ts';
export * from './v1/mail-requests.ts';
export * from './v1/mail-responses.ts';
export * from './v1/pause.ts';
export * from './v1/prompt-options.ts';
export * from './v1/reminders.ts';
export * from './v1/request-views.ts';
export * from './v1/requests.ts';
export {
  type ControlResult,
  controlResult,
  type SendKeysBody,
  type SendKeysInput,
  sendKeysBody,
} from './v1/send-keys.ts';
export * from './v1/status.ts';
export * from './v1/tui-screen.ts';
export {
  type TuiHistory,
  type TuiSnapshot,
  type TuiState,
  tuiHistory,
  tuiHistoryQuery,
  tuiSnapshot,
  tuiState,
} from './v1/tui-state.ts';
export * from './v1/waits.ts';
export { quietHours } from './v1/wake-settings.ts';
