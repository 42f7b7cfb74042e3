/** What makes a server launch and own agents. Without this line and its room, it only registers those of others. */
export { HOSTING } from '../hosting/index.ts';
