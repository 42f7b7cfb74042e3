/**
 * How often an agent's gateway is heard by the fleet server, in seconds. A gateway keeps one beat open at the server for
 * `held`, and sends the next when it is answered; `unheld` is the pause after a beat the server did not hold.
 */
export const HEARTBEAT = { held: 25, unheld: 30 } as const;
