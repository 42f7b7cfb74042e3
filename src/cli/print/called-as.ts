/** The name of this program in its own sentences, whatever name it is installed under. */
const OWN_NAME = 'rouse';

/** One of our commands in a sentence. A path that ends with the name is a file of the user and is not matched. */
const COMMAND = /(?<![\w/.@-])rouse(?= (?:[a-z-]|<command>))/g;

/** Commands that print text of others, which must not be changed. */
const QUOTING = [
  ['mail'],
  ['mailfile'],
  ['logs'],
  ['requests'],
  ['send'],
  ['inbox'],
  ['read'],
  ['reply'],
  ['archive'],
  ['search'],
  ['agents', 'mail'],
  ['agents', 'gateway', 'tui'],
  ['agents', 'gateway', 'requests'],
  ['completion'],
];

type Write = (text: string) => void;
interface Streams {
  argv: readonly string[];
  program?: string | undefined;
  stdout: { write: Write };
  stderr: { write: Write };
}

/**
 * The one place that knows under which name the program was called: every command that errors, hints and help suggest
 * starts with it.
 */
export function calledAs<S extends Streams>(world: S): S {
  const { program = OWN_NAME, stdout, stderr, argv } = world;
  if (program === OWN_NAME) return world;
  const words = argv.filter((word) => !word.startsWith('-'));
  const quotes =
    !argv.some((word) => word === '--help' || word === '-h') &&
    QUOTING.some((path) => path.every((word, at) => words[at] === word));
  const renamed =
    (write: Write): Write =>
    (text) =>
      write(text.replaceAll(COMMAND, program));
  return {
    ...world,
    stderr: { ...stderr, write: renamed(stderr.write) },
    ...(!quotes && { stdout: { ...stdout, write: renamed(stdout.write) } }),
  };
}
