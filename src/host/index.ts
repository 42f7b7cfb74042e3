/**
 * Host: one process that holds the gateways of many sessions. Each has its own address, files, lock, queue, lane and
 * environment, and is started and ended by itself.
 *
 * Promises  What one gateway throws is heard as that gateway's, and only it is started again. A host that was killed takes up
 *           all it held, with the environment of each; that is kept by its parent and in no file with a name.
 *           It ends when it holds nothing.
 * Never     Types, reads mail or knows what a gateway does. Is spoken to by anybody but its owner.
 * Errors    What nobody can be blamed for ends the host, and its parent starts it again.
 */
export { runHost } from './run-host.ts';
