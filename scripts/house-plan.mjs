// Who may import whom. Checked by `npm run check`.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const MAX_FILES = 20;

const PLAN = {
  base: '',
  domain: 'base',
  config: 'base domain',
  db: 'base',
  tmux: 'base',
  wire: 'base domain mail',
  mail: 'base domain db',
  screen: 'base domain',
  tools: 'base domain screen',
  cao: 'base domain terminal',
  terminal: 'base domain tmux screen tools cao',
  client: 'base domain wire',
  http: 'base domain wire',
  gateway: 'base domain db tmux screen tools terminal wire http client mail mcp',
  fleet: 'base domain db screen terminal session wire http client mail gateway mcp hosting notices',
  hosting: 'base domain terminal session wire http client fleet',
  notices: 'base domain db mail session wire',
  session: 'base domain tmux screen tools terminal wire client mail gateway mcp',
  scripted: 'base',
  mcp: 'base domain wire http client',
  cli: 'base config domain wire client session mail screen tools demo gateway fleet mcp notices',
  demo: 'base domain wire client session mail',
  host: 'base wire',
  page: 'base domain wire',
  main: 'base config domain mail cli client gateway host fleet mcp notices scripted session tools terminal wire',
};

/** Inside the gateway, data flows one way. Dispatch, reminders and the raw keys of control reach the agent's surface. */
const GATEWAY_PLAN = {
  queue: '',
  dispatch: 'queue',
  presence: 'queue dispatch pause',
  control: 'queue dispatch presence files',
  files: '',
  turns: '',
  pause: '',
  mail: '',
  notifier: 'queue presence files turns mail',
  reminders: 'queue dispatch presence files turns',
  fleet: 'queue dispatch presence control',
  http: 'queue presence control mail notifier reminders pause',
};

/** Inside the fleet server: identity first, then queue, registry, tickets, sweeps; http and server.ts use them all. */
const FLEET_PLAN = {
  schema: '',
  identity: '',
  sweep: '',
  delivery: 'identity sweep',
  calls: 'delivery',
  registry: 'identity delivery calls sweep',
  tickets: 'identity delivery registry sweep',
  nudge: 'sweep delivery',
  mail: 'identity delivery registry sweep',
  a2a: 'identity delivery registry',
  notices: 'tickets',
  waits: 'sweep mail',
  page: 'identity delivery registry tickets waits',
  http: 'identity delivery calls registry tickets nudge sweep mail a2a',
};

/** Inside session: records, what a tool is equipped with, its gateway, its life cycle. Finding and listing are at the top. */
const SESSION_PLAN = {
  'all-mail': '',
  records: '',
  equip: '',
  gateway: 'records equip',
  life: 'records equip gateway',
  day: 'records',
};

/** Inside terminal: only the lane types; proof judges what it typed, from what watch saw. */
const TERMINAL_PLAN = {
  signals: '',
  limits: '',
  watch: 'signals limits',
  proof: 'signals watch',
  lane: 'signals watch proof',
  headless: 'proof limits',
};

/** Inside the command line: every family uses the common flags and printing; some print the results of others. */
const CLI_PLAN = {
  input: '',
  print: '',
  tui: '',
  unit: '',
  complete: 'print agents',
  config: 'input print',
  doctor: 'input print agents notify',
  team: 'input print agents config',
  agents: 'input print config fleet gateway ls mail',
  fleet: 'input print agents gateway mail unit',
  gateway: 'input print agents why',
  ls: 'input print agents gateway why',
  answer: 'print agents fleet gateway',
  host: 'print agents notify unit',
  mail: 'input print agents gateway',
  inbox: 'input print agents mail',
  day: 'input print agents inbox',
  pause: 'print agents gateway',
  mailbox: 'input print mail agents',
  mailfile: 'input print mail',
  notify: 'input print agents mail',
  mcp: 'input agents fleet gateway mail',
  why: 'input print agents gateway mail notify',
  waits: 'input print mail fleet',
};

/** Inside the page: its model, its live data, shared parts, its frame, and the views, which use them all. */
const PAGE_PLAN = {
  model: '',
  worker: '',
  live: 'model',
  parts: 'model',
  frame: 'model live parts',
  act: 'model live parts frame',
  home: 'model live parts frame act agent requests day',
  lanes: 'model live parts frame waits',
  waits: 'model live parts frame',
  health: 'model live parts frame',
  day: 'model live parts frame',
  mail: 'model live parts frame',
  requests: 'model live parts frame',
  reminders: 'model live parts frame',
  search: 'model live parts frame act',
  agent: 'model live parts frame act mail reminders',
};

const INSIDE = {
  base: { time: '', system: '', files: 'time system', processes: 'system' },
  cli: CLI_PLAN,
  db: { embedded: '', sqlite: '' },
  domain: {
    day: 'words phrases',
    edges: 'words',
    health: 'words',
    lanes: 'words',
    mail: '',
    reminder: 'words',
    words: '',
    phrases: 'words settings',
    settings: 'words',
    waits: '',
  },
  fleet: FLEET_PLAN,
  gateway: GATEWAY_PLAN,
  hosting: { gateway: '', server: '' },
  page: PAGE_PLAN,
  mail: {
    schema: '',
    contract: 'schema',
    filesystem: 'schema',
    flatfile: 'schema',
    stalwart: '',
    fleet: 'schema',
    link: 'filesystem fleet',
  },
  screen: { limits: '', model: '', turn: 'model' },
  notices: { outbox: '', waits: 'outbox', push: 'outbox', channels: 'outbox push', needs: 'outbox waits' },
  scripted: { control: 'tui', turns: 'control tui', tui: 'control turns' },
  session: SESSION_PLAN,
  terminal: TERMINAL_PLAN,
  tmux: { control: '' },
  tools: { signals: '', claude: 'signals', codex: 'signals', opencode: 'signals' },
  wire: {
    houmao: '',
    source: '',
    v1: 'source',
    files: 'source',
    fleet: 'source v1',
    agents: 'source v1',
    page: 'v1 fleet',
    access: 'source files',
    compatibility: 'source v1 files agents',
  },
};

/** Besides its index.ts, a room may have a second entrance, so programs that must start fast load only what they need. */
const LIGHT_DOORS = [
  'config/check-file.ts',
  'domain/limits.ts',
  'domain/names.ts',
  'domain/project.ts',
  'domain/reminder/cron.ts',
  'domain/schemas.ts',
  'domain/tables.ts',
  'terminal/owner.ts',
  'terminal/owners.ts',
  'wire/access.ts',
  'wire/capabilities.ts',
  'wire/codes.ts',
  'wire/files/host-files.ts',
  'wire/files/beside.ts',
  'wire/files/pause-file.ts',
  'wire/files/session-files.ts',
  'wire/host.ts',
  'wire/place.ts',
  'wire/places.ts',
  'cli/run-line.ts',
  'scripted/run.ts',
  'mail/flatfile/index.ts',
  'mail/inbox-count.ts',
  'session/receipts.ts',
  'mail/store-parts.ts',
  'mail/transports.ts',
  'gateway/offline.ts',
  'gateway/offline-mail.ts',
  'wire/mail-bodies.ts',
  'mcp/tool-list.ts',
  'fleet/find-hosting.ts',
  'fleet/hosting.ts',
  'fleet/server-files.ts',
];

/** The names of another project. They load nothing, so every room may use them, and they are written only here. */
const NAMES = 'wire/houmao/index.ts';
const HOUMAO_NAMES =
  /HOUMAO[-_]|houmao\.localhost|houmao-(?:passive-)?server|houmao_servers|houmao_server_rest|cao_rest|x-houmao-|codex_app_server|'(?:claude|codex|gemini|kimi|generic)_headless|(?:[=?:]|case) 'local_interactive'/;

function* nameBreaches(file, where) {
  if (where.startsWith('src/wire/houmao/')) return;
  const found = HOUMAO_NAMES.exec(readFileSync(file, 'utf8'))?.[0];
  if (found) yield `${where}: a name of Houmao is a constant of src/${NAMES} (${found})`;
}

/**
 * Rooms that can be deleted: only one line names each, and without the room and that line the rest is complete. `names`:
 * words that only the room may contain.
 */
const DELETABLE = {
  cao: { list: 'terminal/owner-list.ts', names: /\bCAO\b|[cC]ao[A-Z]|[a-z]Cao\b|BACKEND\.cao\b/ },
  hosting: { list: 'fleet/hosting-list.ts' },
};
/** Tables of words, the wire and flags may name such a room too; they load nothing from it. */
const NAMES_DELETABLE = ['domain', 'wire', 'cli'];

function* deletableBreaches(file, where, targets) {
  const [room] = where.split('/').slice(1);
  for (const [name, { list, names }] of Object.entries(DELETABLE)) {
    if (room === name || where === `src/${list}`) continue;
    if (targets.some((each) => path.relative(path.join(root, 'src', name), each)[0] !== '.'))
      yield `${where}: only src/${list} may import ${name}`;
    const found = NAMES_DELETABLE.includes(room) ? undefined : names?.exec(readFileSync(file, 'utf8'))?.[0];
    if (found) yield `${where}: everything about ${name} belongs in src/${name} (${found})`;
  }
}

/** Worlds for tests, beside the code under test. */
const TESTING = /[/.]testing\.ts$/;

const allowed = (plan, room) => (plan[room] ?? '').split(' ').filter(Boolean);

function sourceFiles(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

const IMPORT = /(?:from\s+|import\s*\(\s*|^\s*import\s+)['"](\.[^'"]+)['"]/gm;

function importsOf(file) {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map((match) =>
    path.resolve(path.dirname(file), match[1]),
  );
}

const NOT_FOR_BROWSERS =
  /^(?:import|export) (?!type )[^;]*?from '(node:[^']+|(?:\.\.\/)+(?:wire|domain(?!\/tables\.ts)|base)\/[^']+)'/gm;

/** The page runs in a browser: from other rooms it may import only types and the closed sets. */
function* browserBreaches(file, where) {
  for (const [, from] of readFileSync(file, 'utf8').matchAll(NOT_FOR_BROWSERS))
    yield `${where}: runs in a browser, so only types may come from ${from}`;
}

const TABLES = 'src/domain/tables.ts';
const VALUE_IMPORT = /^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm;

/** The closed sets load only each other, because browsers and quick commands load them too. */
function* tableBreaches() {
  const seen = new Set();
  const open = [path.join(root, TABLES)];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const [, from] of readFileSync(file, 'utf8').matchAll(VALUE_IMPORT)) {
      const target = path.resolve(path.dirname(file), from);
      const name = path.relative(path.join(root, 'src/domain'), target);
      if (from.startsWith('.') && /^(words|settings)\//.test(name)) open.push(target);
      else yield `${path.relative(root, file)}: a closed set may not load ${from}`;
    }
  }
}

const KERNEL_WORDS = /\/proc(?![a-z])|netlink/;

/** Only one place asks the operating system. */
function* systemBreaches(file, where) {
  if (where.startsWith('src/base/system/')) return;
  const found = KERNEL_WORDS.exec(readFileSync(file, 'utf8'))?.[0];
  if (found) yield `${where}: only src/base/system/ asks the operating system (${found})`;
}

/** Returns every breach as a sentence. */
export function inspectHouse() {
  const source = path.join(root, 'src');
  const breaches = [];
  const graph = new Map();
  for (const file of sourceFiles(source)) {
    const from = path.relative(source, file).split(path.sep);
    const where = path.relative(root, file);
    if (!(from[0] in PLAN)) breaches.push(`${where}: room "${from[0]}" is not in the plan`);
    if (from.length > 2 && !(from[1] in (INSIDE[from[0]] ?? {})))
      breaches.push(`${where}: "${from[0]}/${from[1]}" is not in the plan`);
    const isTest = /\.(test|contract)\.ts$/.test(file);
    const targets = importsOf(file);
    if (
      where.startsWith('src/wire/houmao/') &&
      targets.some((each) => !path.dirname(each).endsWith('wire/houmao'))
    )
      breaches.push(`${where}: loads nothing`);
    if (from[0] === 'page' && !isTest) breaches.push(...browserBreaches(file, where));
    if (!isTest) breaches.push(...systemBreaches(file, where));
    if (!isTest && !TESTING.test(file))
      breaches.push(...nameBreaches(file, where), ...deletableBreaches(file, where, targets));
    if (!isTest) graph.set(file, targets);
    for (const target of targets) {
      const to = path.relative(source, target).split(path.sep);
      if (to[0] === '..') {
        if (!isTest && !TESTING.test(file) && to[1] === 'test')
          breaches.push(`${where}: shipped code may not import ${to.slice(1).join('/')}`);
        continue;
      }
      if (to.join('/') === NAMES) continue;
      if (to[0] === from[0]) {
        const plan = INSIDE[from[0]];
        if (plan && !isTest) checkInside(plan, from, to, where, breaches);
        continue;
      }
      if (isTest) continue;
      if (!allowed(PLAN, from[0]).includes(to[0]))
        breaches.push(`${where}: ${from[0]} may not import ${to[0]}`);
      if (!(to.length === 2 && to[1] === 'index.ts') && !LIGHT_DOORS.includes(to.join('/')))
        breaches.push(`${where}: enter ${to[0]} by its index.ts, not ${to.join('/')}`);
    }
  }
  for (const name of readdirSync(path.join(root, 'scripts')).filter((each) => each !== 'house-plan.mjs'))
    breaches.push(...systemBreaches(path.join(root, 'scripts', name), `scripts/${name}`));
  breaches.push(...tableBreaches());
  for (const cycle of cycles(graph))
    breaches.push(`import cycle: ${cycle.map((file) => path.relative(root, file)).join(' → ')}`);
  breaches.push(...largeFolders([...graph.keys()]));
  return breaches;
}

/** Folders with too many files. The maximum length of functions is a rule in biome.json. */
function largeFolders(files) {
  const sizes = new Map();
  for (const file of files) sizes.set(path.dirname(file), (sizes.get(path.dirname(file)) ?? 0) + 1);
  return [...sizes]
    .filter(([, size]) => size > MAX_FILES)
    .map(([folder, size]) => `${path.relative(root, folder)}: ${size} files, max ${MAX_FILES}`);
}

function checkInside(plan, from, to, where, breaches) {
  if (from.length < 3 || to.length < 3 || from[1] === to[1]) return;
  if (!allowed(plan, from[1]).includes(to[1]))
    breaches.push(`${where}: ${from[0]}/${from[1]} may not import ${from[0]}/${to[1]}`);
}

function cycles(graph) {
  const found = [];
  const state = new Map();
  const walk = (file, trail) => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      found.push([...trail.slice(trail.indexOf(file)), file]);
      return;
    }
    state.set(file, 'open');
    for (const next of graph.get(file) ?? []) if (graph.has(next)) walk(next, [...trail, file]);
    state.set(file, 'done');
  };
  for (const file of graph.keys()) walk(file, []);
  return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const breaches = inspectHouse();
  for (const breach of breaches) console.error(breach);
  if (breaches.length) process.exit(1);
  console.log('house plan: kept');
}
