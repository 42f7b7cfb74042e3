/**
 * Nudge: reminds an idle agent of tickets it has left unanswered.
 *
 * Promises  An agent that is online and idle is reminded once of what has waited ten minutes, and again after an hour. The
 *           message and the stamps are one transaction: neither without the other, whatever the replicas, crashes and
 *           hour boundaries. Those who have waited longest come first; one agent's backlog never delays the others.
 * Never     Sends more than a count: no titles, no text of others. Speaks to people, or to agents that are busy, paused
 *           or away. Lets a bad row stop a pass: it is left out, counted and logged once.
 * Errors    One agent's failure is counted and retried next time; a database that fails ends the pass.
 */

export { nothingToNudge } from './due.ts';
export { type NudgeDeps, type NudgeResult, nudgeSweep } from './nudge-sweep.ts';
export { NUDGE_KIND, nudgeBody } from './nudge-text.ts';
export { NUDGE_DEFAULTS, type NudgeSettings, nudgeSettings } from './settings.ts';
