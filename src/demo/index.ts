/**
 * Demo: the product's main job in a minute. A small team of scripted agents in tmux, each with a gateway and a mailbox,
 * sends mail around, a simulated person files tickets, and a live view shows who is idle, busy or woken, and why.
 *
 * Promises  Everything is in one temporary directory and one private tmux server. Nothing is left at the end, even after
 *           kill -9. Every number shown was counted, none is estimated.
 * Never     Touches the user's own state root, tmux server or agents.
 */
export { clearPlace } from './clear.ts';
export { runDemo } from './run-demo.ts';
