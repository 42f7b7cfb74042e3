/** What this program is called in its own sentences, whatever name it is installed under. */
const OWN_NAME = 'rouse';

/** A command of ours in a sentence; a path that ends so is somebody's file, and stays. */
const COMMAND = /(?<![\w/.@-])rouse(?= (?:[a-z-]|<command>))/g;

/** Commands whose output is words of others, which are printed as they are. */
const QUOTING = [
  ['mail'],
  ['mailfile'],
  ['logs'],
  ['requests'],
  ['send'],
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
 * The one place that knows under which name the program was called: every command that is suggested, in errors, hints and help,
 * begins with it.
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
