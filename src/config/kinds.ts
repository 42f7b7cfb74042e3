import * as fs from 'node:fs';
import * as path from 'node:path';
import { invalid } from '../base/index.ts';
import { isTimeZone, parseAgentName } from '../domain/index.ts';
import type { NamedThing } from '../domain/schemas.ts';

/** The file that a value is from; the meaning of a path depends on it. */
export interface Place {
  /** The directory of the file. */
  directory: string;
  byProject: boolean;
  /** The person's home directory. */
  home: string;
}

/** What a value may be: in words, and as a function that returns the value or throws the reason. */
export interface Kind {
  words: string;
  read: (value: unknown, place: Place) => unknown;
  /** What such a value names outside of Rouse. */
  names?: NamedThing;
}

function kind(words: string, read: (value: unknown, place: Place) => unknown, names?: NamedThing): Kind {
  return { words, read, ...(names && { names }) };
}

const refuse = (words: string): never => {
  throw invalid(`must be ${words}`);
};

function text(value: unknown, words = 'a text in quotes'): string {
  return typeof value === 'string' && value.trim() !== '' && !/[\u0000-\u0008\u000b-\u001f\u007f]/.test(value)
    ? value
    : refuse(words);
}

export const TEXT = kind('text', (value) => text(value));

export const YES_OR_NO = kind('true or false', (value) =>
  typeof value === 'boolean' ? value : refuse('true or false'),
);

export const oneOf = (choices: readonly string[]): Kind => {
  const words = choices.join(', ');
  return kind(words, (value) => choices.find((choice) => choice === value) ?? refuse(`one of ${words}`));
};

export const wholeNumber = (min: number, max: number): Kind => {
  const words =
    max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min}` : `a whole number from ${min} to ${max}`;
  return kind(words, (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? value
      : refuse(words),
  );
};

export const WORDS = kind(
  'a list of texts',
  (value) =>
    Array.isArray(value) && value.every((word) => typeof word === 'string' && !word.includes('\u0000'))
      ? value
      : refuse('a list of texts, such as ["--model", "opus"]'),
  'argument',
);

/** A name only: a project must not be able to run a program of its own as a tool. */
export const TOOL = kind(
  'a tool or a preset',
  (value, { byProject }) => {
    const name = text(value, 'the name of a tool');
    if (byProject && (name === 'command' || !/^[a-z][\w-]*$/i.test(name)))
      refuse("the name of a tool or of a preset; a project's file cannot name programs");
    return name;
  },
  'command',
);

export const AGENT_NAME = kind('the name of an agent', (value) => parseAgentName(text(value), 'the name'));

export const NAME = kind('a name', (value) =>
  /^[A-Za-z0-9][\w.-]{0,63}$/.test(text(value)) ? value : refuse('a name of letters, digits, . _ and -'),
);

/** Tools get it as an argument or as their first message, so text that could be a flag or a command is refused. */
export const ROLE = kind('text', (value, { byProject }) => {
  const role = text(value, 'a text');
  if (byProject && !/^\s*[\p{L}\p{N}]/u.test(role)) refuse('a text that begins with a letter or a digit');
  return role;
});

export const WEB_ADDRESS = kind(
  'http://… or https://…',
  (value) => {
    const words =
      'an address such as https://fleet.example:9889, without a token in it, or several with commas between them';
    const isPlain = (each: string): boolean => {
      const url = URL.canParse(each) ? new URL(each) : undefined;
      return (
        url !== undefined &&
        /^https?:$/.test(url.protocol) &&
        [url.username, url.password, url.search, url.hash].every((part) => part === '')
      );
    };
    return text(value, words)
      .split(',')
      .every((each) => isPlain(each.trim()))
      ? value
      : refuse(words);
  },
  'url',
);

export const HOURS = kind('22:00-07:00', (value) => {
  const hour = '([01]\\d|2[0-3]):[0-5]\\d';
  const words = 'two different times of day such as "22:00-07:00"';
  const [from, to] = text(value, words).split('-');
  return new RegExp(`^${hour}-${hour}$`).test(String(value)) && from !== to ? value : refuse(words);
});

export const TIME_ZONE = kind('an IANA time zone', (value) =>
  isTimeZone(text(value)) ? value : refuse('an IANA time zone such as "Europe/Zurich"'),
);

/** Absolute, or below ~. In a project's file it must be inside the project's directory, after following links. */
export const PATH = kind(
  'a path',
  (value, place) => {
    const given = text(value, 'a path in quotes');
    if (place.byProject) return inside(place.directory, given);
    const expanded = given === '~' || given.startsWith('~/') ? path.join(place.home, given.slice(1)) : given;
    return path.isAbsolute(expanded)
      ? path.normalize(expanded)
      : refuse('an absolute path, or one that begins with ~/');
  },
  'file',
);

function inside(directory: string, given: string): string {
  const words = "a relative path inside the project's directory";
  const target = path.resolve(directory, given);
  const root = fs.realpathSync(directory);
  const real = realOf(target);
  const isInside = real === root || real.startsWith(`${root}${path.sep}`);
  return !path.isAbsolute(given) && isInside ? target : refuse(words);
}

/** Where a path leads, even if it does not exist yet. */
function realOf(target: string): string {
  try {
    return fs.realpathSync(target);
  } catch {
    // The owner of a dangling link could later point it anywhere.
    if (fs.lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) return '';
    const above = path.dirname(target);
    return above === target ? target : path.join(realOf(above), path.basename(target));
  }
}
