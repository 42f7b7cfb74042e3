/** The kinds of servers that own terminals, one line each. To remove a kind, delete its line and its room. */
export { CAO } from '../cao/index.ts';
