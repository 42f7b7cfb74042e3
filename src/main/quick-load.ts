/** Node's own, as it is: what esbuild makes of an import would be a copy, and `node:module` and `node:url` are seldom needed. */
declare const require: NodeJS.Require;
const fs = require('node:fs') as typeof import('node:fs');
const vm = require('node:vm') as typeof import('node:vm');

type CommandLine = typeof import('./command-line.ts');
/** A word and what it needs, without all the others; see runQuickWord. */
type Word = { run: (argv: string[]) => Promise<void> | undefined };
type Program = { run: (argv: string[]) => Promise<void> };
type Parts = { parts: Record<string, () => Promise<unknown>> };

/**
 * The command line, compiled already where the build left what V8 made of it. Another V8 refuses that by itself and
 * compiles anew, which takes some 50 ms longer and is not told to anybody.
 */
export function commandLine(directory: string): CommandLine {
  return new QuickBundles(directory, true).load('command-line');
}

/** One word of it, which is loaded without the rest. */
export function quickWord(directory: string, word: string): Word {
  return new QuickBundles(directory, true).load(`word-${word}`);
}

/** The scripted agent, of which a headless turn is a process each. */
export function scriptedAgent(directory: string): Program {
  return new QuickBundles(directory, true).load('scripted');
}

/** For the build: the bundle of a word, of a program or of the whole command line, and what V8 has made of it since. */
export function compiling(directory: string): {
  bundle<T extends CommandLine | Word | Program>(name: string): T;
  save(): void;
} {
  const bundles = new QuickBundles(directory, false);
  return { bundle: (name) => bundles.load(name), save: () => bundles.save() };
}

/** The bundles that the build has wrapped (scripts/quick-bundles.mjs), each with its cache beside it. */
class QuickBundles {
  readonly #directory: string;
  readonly #cached: boolean;
  readonly #scripts = new Map<string, import('node:vm').Script>();
  #parts: Parts | undefined;

  constructor(directory: string, cached: boolean) {
    this.#directory = directory;
    this.#cached = cached;
  }

  load<T>(name: string): T {
    const filename = `${this.#directory}/${name}.cjs`;
    const cachedData = this.#cached ? read(this.#cacheOf(name)) : undefined;
    // esbuild writes nothing but ASCII, and bytes are taken over as they are.
    const code = fs.readFileSync(filename, 'latin1');
    const script = new vm.Script(code, { filename, ...(cachedData && { cachedData }) });
    this.#scripts.set(name, script);
    const module = {
      exports: {},
      get url() {
        return (require('node:url') as typeof import('node:url')).pathToFileURL(filename).href;
      },
    };
    const compiledPart = (part: string): Promise<unknown> => this.#part(part);
    // Every bundle lies beside this one, and finds packages where this one does.
    const args = [module.exports, require, module, filename, this.#directory, lazyPart, compiledPart];
    script.runInThisContext()(...args);
    return module.exports as T;
  }

  save(): void {
    for (const [name, script] of this.#scripts)
      fs.writeFileSync(this.#cacheOf(name), script.createCachedData());
  }

  #part(name: string): Promise<unknown> {
    this.#parts ??= this.load<Parts>('parts');
    return this.#parts.parts[name]!();
  }

  #cacheOf(name: string): string {
    return `${this.#directory}/${name}.cache`;
  }
}

/** What the build has put into files of their own, and packages. */
function lazyPart(file: string): Promise<unknown> {
  return import(file);
}

function read(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}
