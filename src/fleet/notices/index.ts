/**
 * Notices of the fleet server: what people are asked through it, and agents of other hosts that fell silent. The agents of
 * this host belong to its own host, so no need has two owners.
 */
export { FleetNotices } from './fleet-notices.ts';
