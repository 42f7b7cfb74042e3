/**
 * Config: the two files a person may write, their own config.toml and a project's .rouse.toml, read with care.
 *
 * Promises  A file that is wrong is an error that names file, line, key and what is allowed; nothing of it is obeyed.
 *           A project's file is obeyed only as it was when its reader trusted it, byte for byte.
 *           It cannot name token files, programs, variables or places outside of its directory, trusted or not.
 *           What is no small regular file of its reader's own (a link, a pipe, another account's) is not read.
 * Never     Decides between flag, environment, file and default; cli/settings.ts does.
 * Errors    `invalid` for what a file says, `forbidden` for a file that may not be read or trusted.
 */
export { type Config, loadConfig } from './load-config.ts';
export { presetOf, settingKeys, settingOf, teamOf } from './look-up.ts';
export { type CarefulFile, readCarefully } from './read-carefully.ts';
export { trustProject, untrustProject } from './trust.ts';
export type { Preset, Setting, WakePolicy } from './values.ts';
