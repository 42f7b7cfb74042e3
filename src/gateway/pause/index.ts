/**
 * Pause: a person's hold on what is typed into the agent without a person asking: wakes for mail, reminders, messages and
 * nudges of the fleet. Mail and messages still arrive and wait, every setting stays, and a person's own prompts are typed.
 *
 * Promises  Stored in the session before it is reported, so it survives any restart. Checked at the instant of typing.
 *           A pause that cannot be read holds. What waited continues when it ends, one at a time, as the agent becomes ready.
 * Never     Closes admission, turns the notifier off, or changes a reminder.
 * Errors    `invalid` for an end that has passed; a disk that refuses the file.
 */
export { SessionPause } from './session-pause.ts';
