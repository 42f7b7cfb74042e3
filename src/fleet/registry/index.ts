/**
 * Registry: which agents there are, which session speaks for each, and how they are.
 *
 * Promises  An agent id keeps its workspace; a newer session fences an older one off. Every change of status is a
 *           compare-and-set on the status it was made for, so that a pause or a removal is never undone by a late beat.
 * Never     Shows or resolves an agent of another tenant.
 * Errors    `not_found`, `conflict` for an ambiguous name or an older session.
 */
export { type RegisteredWorkspace, type Registration, registerWorkspace } from './register.ts';
export { findWorkspace, resolveWorkspace, type Workspace } from './workspace.ts';
