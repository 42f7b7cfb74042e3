import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  conflict,
  ensureDirectory,
  errnoOf,
  invalid,
  messageOf,
  readIfExists,
  sha256,
  writeFileAtomic,
  writeJsonAtomic,
} from '../../base/index.ts';
import { MAIL_SKILLS, type MailSkill } from '../../domain/index.ts';
import { skillsDirectory, toolNames, toolOf } from '../../tools/index.ts';
import { packageRoot } from './programs.ts';

/**
 * `current`: as packaged. `outdated`: written by an earlier version of Rouse and not changed since. `changed`: edited by
 * a person. `absent`: not there.
 */
export type SkillState = 'absent' | 'current' | 'outdated' | 'changed';

export interface SkillInstallation {
  skill: MailSkill;
  file: string;
  state: SkillState;
}

export interface SkillTarget {
  tool: string;
  /** The tool's home directory. Default: as its own variable says, or below the person's home. */
  home?: string | undefined;
  env: NodeJS.ProcessEnv;
}

/** Which skills the tool has, and whether they are as Rouse wrote them. */
export function skillStates(target: SkillTarget): SkillInstallation[] {
  const directory = directoryOf(target);
  return MAIL_SKILLS.map((skill) => {
    const file = path.join(directory, skill, 'SKILL.md');
    return { skill, file, state: stateOf(file, packaged(skill)) };
  });
}

/**
 * Writes the skills that are missing or outdated. A file that a person changed is a `conflict` unless forced, and then
 * nothing is written. A stamp beside each file lets a later version distinguish its own text from a person's.
 */
export function installSkills(target: SkillTarget & { force?: boolean }): SkillInstallation[] {
  const before = skillStates(target);
  const changed = before.filter((each) => each.state === 'changed');
  if (changed.length > 0 && !target.force) {
    throw conflict(
      `${changed.map((each) => each.file).join(' and ')} was changed by hand and is left as it is`,
      {
        hint: 'use --force to replace it, or move it away first',
        facts: { cause: 'skill_changed', files: changed.map((each) => each.file) },
      },
    );
  }
  for (const each of before) if (each.state !== 'current') write(each);
  return before;
}

/** Removes skills that Rouse wrote and no one changed, or only these files of them. Returns the state of each before. */
export function removeSkills(target: SkillTarget, only?: readonly string[]): SkillInstallation[] {
  const before = skillStates(target).filter(({ file }) => only?.includes(file) ?? true);
  const ours = before
    .filter(({ state }) => state === 'current' || state === 'outdated')
    .map(({ file }) => file);
  const made = ours.flatMap((file) => stampAt(file).made ?? path.dirname(path.dirname(file)));
  for (const file of ours) for (const each of [file, stampOf(file)]) fs.rmSync(each, { force: true });
  for (const directory of deepestFirst([...ours.map(path.dirname), ...made])) removeIfEmpty(directory);
  return before;
}

const deepestFirst = (directories: string[]): string[] =>
  [...new Set(directories)].sort((one, other) => other.length - one.length);

function removeIfEmpty(directory: string): void {
  try {
    fs.rmdirSync(directory);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EBUSY'].includes(errnoOf(error) ?? '')) throw error;
  }
}

/** What a launch did about the skills of its tool. */
export interface SkillsAtLaunch {
  written: string[];
  /** Why one was not written. The wakes of this session then name the endpoints instead. */
  problem: string | undefined;
}

/**
 * Installs the skills where the tool of a session looks for them, before it starts. Never prevents a launch: a file that
 * a person changed stays, and failures are reported. Undefined for a tool that has no place for skills.
 */
export function skillsForLaunch(target: SkillTarget): SkillsAtLaunch | undefined {
  if (!toolOf(target.tool)?.skills) return undefined;
  const written: string[] = [];
  try {
    for (const each of skillStates(target)) {
      if (each.state !== 'absent' && each.state !== 'outdated') continue;
      write(each);
      written.push(each.file);
    }
    return { written, problem: undefined };
  } catch (error) {
    return { written, problem: `the mail skills were not installed: ${messageOf(error)}` };
  }
}

function write({ skill, file }: SkillInstallation): void {
  const text = packaged(skill);
  const made = [...(stampAt(file).made ?? []), ...missingAbove(file)];
  ensureDirectory(path.dirname(file));
  writeFileAtomic(file, text, { mode: 0o644 });
  writeJsonAtomic(stampOf(file), { written_by: 'rouse', sha256: digest(text), made }, { mode: 0o644 });
}

/** The directories that would be made for a file. */
function missingAbove(file: string): string[] {
  const directory = path.dirname(file);
  return fs.existsSync(directory) ? [] : [directory, ...missingAbove(directory)];
}

function directoryOf({ tool, home, env }: SkillTarget): string {
  if (home !== undefined && !path.isAbsolute(home))
    throw invalid(`the home directory of the tool must be absolute, but is "${home}"`);
  const directory = skillsDirectory(tool, { home, env });
  if (directory !== undefined && path.isAbsolute(directory)) return directory;
  const known = toolNames(({ skills }) => skills).join(', ');
  throw invalid(`it is not known where ${tool} keeps skills; known tools: ${known}`);
}

function packaged(skill: MailSkill): string {
  return fs.readFileSync(path.join(packageRoot(), 'assets', 'skills', skill, 'SKILL.md'), 'utf8');
}

function stateOf(file: string, wanted: string): SkillState {
  const found = readIfExists(file);
  if (found === undefined) return 'absent';
  if (found === wanted) return 'current';
  return stampAt(file).sha256 === digest(found) ? 'outdated' : 'changed';
}

const stampOf = (file: string): string => path.join(path.dirname(file), '.rouse.json');

/** The stamp beside a file: its digest, and the directories made for it (earlier versions did not store those). */
function stampAt(file: string): { sha256?: unknown; made?: string[] } {
  try {
    const { sha256, made } = JSON.parse(readIfExists(stampOf(file)) ?? '{}') as Record<string, unknown>;
    return { sha256, ...(Array.isArray(made) && { made: made.filter((each) => typeof each === 'string') }) };
  } catch {
    return {};
  }
}

function digest(text: string): string {
  return sha256(text);
}
