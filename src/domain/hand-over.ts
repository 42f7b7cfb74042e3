/** Asks a gateway to end in good order and to leave its live reminders to the next one of the session. */
export const HAND_OVER_SIGNAL = 'SIGUSR2';
