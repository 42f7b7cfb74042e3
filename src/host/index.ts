/**
 * Host: one process that holds the gateways of many sessions. Each has its own address, files, lock, queue, lane and
 * environment, and is started and ended separately. It also runs the notices of its home, once someone subscribes.
 *
 * Promises  An uncaught error restarts only the gateway in whose name the code ran. After a kill, the next host resumes
 *           every gateway with its environment, which is kept in an unnamed file that the parent has open.
 *           A host ends when it holds nothing and no one subscribes.
 * Never     Types, reads mail or knows what a gateway does. Takes requests from any account but its owner's.
 * Errors    An error that belongs to no gateway ends the host, and its parent starts it again.
 */
export type { RunningNotices } from './hosted-notices.ts';
export { runHost } from './run-host.ts';
