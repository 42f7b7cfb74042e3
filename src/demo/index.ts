/**
 * Demo: the product's main job in a minute. A small team of scripted agents in tmux, each with its gateway and mailbox,
 * sends mail around, a person files tickets with the fleet server, and a live view tells who is idle, busy, woken, and why.
 *
 * Promises  Everything lives in one temporary directory and one private tmux server; nothing of it is left at the end,
 *           also when that end is a kill -9. Every number shown was counted, none is worked out.
 * Never     Touches the user's own state root, tmux server or agents.
 */
export { clearPlace } from './clear.ts';
export { runDemo } from './run-demo.ts';
