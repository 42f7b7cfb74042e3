/** The operating system that this program runs on: a `System`. No other code asks it for these facts. */
export * from './linux/linux.ts';
export type { Ends, SocketOwner } from './system.ts';
