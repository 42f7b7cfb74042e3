/**
 * Config: the two configuration files, a person's config.toml and a project's .rouse.toml, and which projects are trusted.
 *
 * Promises  A wrong file is an error that names file, line, key and what is allowed; nothing of it is used.
 *           A project's file is used only if the person trusted exactly these bytes.
 *           Trusted or not, it cannot name token files, programs, variables or places outside its directory.
 *           Only small regular files of this account or root are read: no links, pipes or files of others.
 * Never     Decides between flag, environment, file and default; cli/settings.ts does.
 * Errors    `invalid` for the content of a file, `forbidden` for a file that may not be read or trusted.
 */
export { type Config, loadConfig } from './load-config.ts';
export { membersAt, presetOf, projectMembers, settingKeys, settingOf, teamOf } from './look-up.ts';
export { type CarefulFile, readCarefully } from './read-carefully.ts';
export { trustProject, untrustProject } from './trust.ts';
export type { Preset, Setting, WakePolicy } from './values.ts';
