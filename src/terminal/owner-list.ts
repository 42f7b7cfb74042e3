/** The kinds of servers that own terminals of their own, one line each. Without its line and its room a kind is gone. */
export { CAO } from '../cao/index.ts';
