import * as fs from 'node:fs';
import * as path from 'node:path';

export interface Place {
  home: string;
  workdir: string;
  modelUrl: string;
  /** A stand-in for a credential; it must not be visible anywhere. */
  secret: string;
  /** Whether the tool is configured to work in this directory. */
  trusted: boolean;
  /** Only model, login, trust and the absence of updates are configured. */
  stock?: boolean;
}

/** How one command line is set up to use the mock model, and its peculiarities. */
export interface RealTool {
  tool: string;
  /** Writes what its first start would ask for; returns the environment. */
  setUp(place: Place): Record<string, string>;
  /** Makes it ask before it runs a command. */
  asking: string[];
  /** Lets it reach its mailbox by curl without asking. */
  mailing: string[];
  /** The same in its configuration, if arguments would make a process started by hand another kind of session. */
  allowsMailByHand?: (home: string) => void;
  /** The directive with which the model makes it ask for permission; absent if it never asks. */
  askDirective?: (command: string) => string;
  /** The keys that refuse its permission dialog. */
  denyKeys: string[];
  /** The keys that accept it for the whole session; only if our tools cannot be allowed in advance. */
  approveKeys?: string[];
  /** How a person denies our tool of this name, in every way the tool has; absent if it has none. */
  deny?: Record<string, (tool: string, place: Pick<Place, 'home'>) => string[]>;
  /** The marked answer that allows it to work here; absent if it does not ask. */
  trustRow?: RegExp;
  /** It asks that at its first start, and cannot be configured in advance. */
  asksAtStart?: true;
  /** Sources that can prove a submission, best first. */
  provenBy: string[];
  /** Its screen does not show how a turn ended, so nothing is claimed. */
  silentEnd?: true;
  /** It reports, besides its screen, how a turn ended, also one whose start another gateway saw. */
  tellsEnd?: true;
  /** The prompt as the model receives it. */
  arrives: (text: string) => string;
  /** Arguments for runs without a screen. */
  headless: string[];
  /** It then adds blank lines. */
  padsHeadless?: true;
  /** A prompt that it would not take as written, and what that would have done. */
  refuses: string[];
  /** Its command for leaving it. */
  leaveCommand: string;
  /** Its command for a new chat, offered by its own menu. */
  command?: string;
  /** It loses a command that it does not know. */
  dropsUnknown?: true;
}

const sh = (command: string): string => `[[sh=${command}]]`;
const asWritten = (text: string): string => text;

function write(file: string, content: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}

/** Enough for Git. Codex asks whether it may work in a directory only if that is a repository. */
function makeRepository(directory: string): void {
  write(path.join(directory, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  for (const name of ['objects', 'refs']) fs.mkdirSync(path.join(directory, '.git', name));
}

/** Adds to one of the person's JSON files. */
function configure(file: string, more: object): [] {
  const before = fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as object) : {};
  write(file, JSON.stringify({ ...before, ...more }));
  return [];
}

const claude: RealTool = {
  tool: 'claude',
  leaveCommand: '/exit',
  deny: {
    'permissions.deny': (tool, { home }) =>
      configure(path.join(home, '.claude', 'settings.json'), {
        permissions: { deny: [`mcp__rouse__${tool}`] },
      }),
    '--disallowedTools': (tool) => ['--disallowedTools', `mcp__rouse__${tool}`],
  },
  command: '/clear',
  dropsUnknown: true,
  setUp: ({ home, workdir, modelUrl, secret, trusted }) => {
    write(
      path.join(home, '.claude.json'),
      JSON.stringify({
        hasCompletedOnboarding: true,
        theme: 'dark',
        hasSeenAutoDefaultNotice: true,
        projects: { [workdir]: { hasTrustDialogAccepted: trusted } },
      }),
    );
    return {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_AUTH_TOKEN: secret,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    };
  },
  asking: ['--permission-mode', 'default'],
  mailing: ['--allowedTools', 'Bash(curl:*)'],
  askDirective: sh,
  denyKeys: ['Escape'],
  trustRow: /^ ❯ Yes, I trust/m,
  provenBy: ['hook', 'transcript_row'],
  tellsEnd: true,
  arrives: (text) => text.replaceAll('\t', '    '),
  headless: [],
  refuses: ['!touch pwned', '/nonsense now', 'ends with a backslash \\'],
};

const codex: RealTool = {
  tool: 'codex',
  leaveCommand: '/quit',
  deny: {
    'a disabled server': (_, { home }) => {
      fs.appendFileSync(
        path.join(home, '.codex', 'config.toml'),
        '[mcp_servers.rouse]\ncommand = "rouse"\nargs = ["mcp"]\nenabled = false\n',
      );
      return [];
    },
  },
  command: '/new',
  dropsUnknown: true,
  setUp: ({ home, workdir, modelUrl, secret, trusted, stock }) => {
    write(
      path.join(home, '.codex', 'config.toml'),
      `model = "mock-model"
model_provider = "mock"
check_for_update_on_startup = false
${stock ? '' : 'approval_policy = "on-request"\nsandbox_mode = "workspace-write"'}
[model_providers.mock]
name = "Mock"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "MOCK_API_KEY"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
${stock ? '' : '[features]\ndaemon_auto_start = false'}
${trusted ? `[projects."${workdir}"]\ntrust_level = "trusted"\n` : ''}`,
    );
    if (!trusted) makeRepository(workdir);
    return { CODEX_HOME: path.join(home, '.codex'), MOCK_API_KEY: secret };
  },
  asking: [],
  mailing: ['-c', 'sandbox_workspace_write.network_access=true'],
  // Without settings on the command line it hands the conversation to its daemon.
  allowsMailByHand: (home) =>
    fs.appendFileSync(
      path.join(home, '.codex', 'config.toml'),
      '[sandbox_workspace_write]\nnetwork_access = true\n',
    ),
  askDirective: (command) => `[[escalate]]${sh(command)}`,
  denyKeys: ['Escape'],
  trustRow: /^› 1\. Trust and continue/m,
  provenBy: ['rollout', 'transcript_row', 'pending_row'],
  tellsEnd: true,
  arrives: asWritten,
  headless: ['--skip-git-repo-check'],
  refuses: ['!touch pwned', '/nonsense now', 'ends with @name'],
};

const gemini: RealTool = {
  tool: 'gemini',
  leaveCommand: '/quit',
  deny: {
    'mcp.excluded': (_, { home }) =>
      configure(path.join(home, '.gemini', 'settings.json'), { mcp: { excluded: ['rouse'] } }),
    'tools.exclude': (tool, { home }) =>
      configure(path.join(home, '.gemini', 'settings.json'), { tools: { exclude: [`mcp_rouse_${tool}`] } }),
    'a policy': (tool, { home }) => {
      const rule = `[[rule]]\nmcpName = "rouse"\ntoolName = "${tool}"\ndecision = "deny"\npriority = 100\n`;
      write(path.join(home, '.gemini', 'policies', 'mine.toml'), rule);
      return [];
    },
  },
  command: '/clear',
  dropsUnknown: true,
  setUp: ({ home, modelUrl, secret, trusted }) => {
    write(
      path.join(home, '.gemini', 'settings.json'),
      JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: !trusted } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        ui: { theme: 'Default', hideTips: true },
        ide: { hasSeenNudge: true },
      }),
    );
    return {
      GEMINI_API_KEY: secret,
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      ...(trusted && { GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
    };
  },
  asking: [],
  mailing: ['--allowed-tools', 'run_shell_command(curl)'],
  askDirective: sh,
  denyKeys: ['Escape'],
  trustRow: /● 1\. Trust folder/,
  provenBy: ['transcript_row', 'pending_row'],
  arrives: (text) => text.trim(),
  headless: [],
  refuses: ['ends with a backslash \\', 'ends with @name'],
};

const opencode: RealTool = {
  tool: 'opencode',
  leaveCommand: '/exit',
  deny: {
    permission: (tool, { home }) =>
      configure(path.join(home, '.config', 'opencode', 'opencode.json'), {
        permission: { [`rouse_${tool}`]: 'deny' },
      }),
  },
  command: '/new',
  setUp: ({ home, modelUrl, secret, stock }) => {
    const model = { name: 'Mock', tool_call: true, limit: { context: 128_000, output: 8000 } };
    write(
      path.join(home, '.config', 'opencode', 'opencode.json'),
      JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        model: 'mock/mock-model',
        small_model: 'mock/mock-model',
        enabled_providers: ['mock'],
        ...(!stock && { permission: { bash: { '*': 'ask', 'curl *': 'allow' }, edit: 'ask' } }),
        provider: {
          mock: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Mock',
            options: { baseURL: `${modelUrl}/v1`, apiKey: '{env:MOCK_API_KEY}' },
            models: { 'mock-model': model },
          },
        },
      }),
    );
    return {
      MOCK_API_KEY: secret,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    };
  },
  asking: [],
  mailing: [],
  askDirective: sh,
  denyKeys: ['Escape'],
  provenBy: ['transcript_row', 'turn_began'],
  // Text that it folds into a label gains a space.
  arrives: (text) => (text.length > 150 || text.split('\n').length >= 3 ? `${text} ` : text),
  headless: [],
  refuses: ['ends with @name'],
};

const openAi = ({ modelUrl, secret }: Place): Record<string, string> => ({
  OPENAI_API_KEY: secret,
  OPENAI_BASE_URL: `${modelUrl}/v1`,
  OPENAI_MODEL: 'mock-model',
});

const qwen: RealTool = {
  tool: 'qwen',
  leaveCommand: '/quit',
  deny: {
    'permissions.deny': (tool, { home }) =>
      configure(path.join(home, '.qwen', 'settings.json'), {
        permissions: { deny: [`mcp__rouse__${tool}`] },
      }),
    'mcp.excluded': (_, { home }) =>
      configure(path.join(home, '.qwen', 'settings.json'), { mcp: { excluded: ['rouse'] } }),
  },
  setUp: (place) => {
    write(
      path.join(place.home, '.qwen', 'settings.json'),
      JSON.stringify({
        security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        ui: { theme: 'Default' },
        ide: { hasSeenNudge: true },
        model: { name: 'mock-model' },
      }),
    );
    return openAi(place);
  },
  asking: ['--approval-mode', 'default'],
  mailing: ['--allowed-tools', 'run_shell_command(curl)'],
  askDirective: sh,
  denyKeys: ['Escape'],
  provenBy: ['transcript_row', 'pending_row'],
  arrives: asWritten,
  headless: [],
  padsHeadless: true,
  refuses: ['ends with a backslash \\', 'ends with @name', '/nonsense now'],
};

const pi: RealTool = {
  tool: 'pi',
  leaveCommand: '/quit',
  setUp: ({ home, modelUrl, secret }) => {
    const model = { id: 'mock-model', name: 'Mock', reasoning: false, input: ['text'] };
    const limits = { contextWindow: 128_000, maxTokens: 8000 };
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const api = { baseUrl: `${modelUrl}/v1`, api: 'openai-completions', apiKey: 'MOCK_API_KEY' };
    write(
      path.join(home, '.pi', 'agent', 'models.json'),
      JSON.stringify({ providers: { mock: { ...api, models: [{ ...model, ...limits, cost }] } } }),
    );
    write(
      path.join(home, '.pi', 'agent', 'settings.json'),
      JSON.stringify({ defaultProvider: 'mock', defaultModel: 'mock-model' }),
    );
    return { MOCK_API_KEY: secret, PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' };
  },
  asking: [],
  mailing: [],
  denyKeys: [],
  silentEnd: true,
  provenBy: ['transcript_row', 'turn_began'],
  arrives: (text) => text.replaceAll('\t', '    '),
  headless: [],
  refuses: ['!touch pwned', 'ends with a backslash \\'],
};

const kimi: RealTool = {
  tool: 'kimi',
  leaveCommand: '/exit',
  setUp: ({ home, modelUrl, secret }) => {
    write(
      path.join(home, '.kimi-code', 'config.toml'),
      `default_model = "mock"
telemetry = false
[providers.mock]
type = "openai"
base_url = "${modelUrl}/v1"
api_key = "${secret}"
[models.mock]
provider = "mock"
model = "mock-model"
max_context_size = 128000
`,
    );
    return { KIMI_CODE_HOME: path.join(home, '.kimi-code'), KIMI_CODE_NO_AUTO_UPDATE: '1' };
  },
  asking: [],
  mailing: ['--yolo'],
  askDirective: sh,
  approveKeys: ['2'],
  denyKeys: ['Escape'],
  trustRow: /^ *[▶❯›→] (?!Don't).*(Yes|Trust|trust)/m,
  asksAtStart: true,
  provenBy: ['session_log', 'transcript_row'],
  tellsEnd: true,
  arrives: asWritten,
  headless: [],
  refuses: ['!touch pwned', '/nonsense now'],
};

const copilot: RealTool = {
  tool: 'copilot',
  leaveCommand: '/exit',
  deny: { '--deny-tool': (tool) => [`--deny-tool=rouse(${tool})`] },
  setUp: ({ modelUrl, secret }) => ({
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
    COPILOT_PROVIDER_API_KEY: secret,
    COPILOT_MODEL: 'mock-model',
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '100000',
    COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: '8000',
  }),
  asking: [],
  mailing: ['--allow-tool=shell(curl:*)', '--allow-all-urls'],
  askDirective: sh,
  denyKeys: ['Escape'],
  trustRow: /❯ \d\. Yes, and remember/,
  asksAtStart: true,
  provenBy: ['session_log', 'transcript_row'],
  tellsEnd: true,
  arrives: asWritten,
  headless: [],
  refuses: ['!touch pwned', 'ends with a backslash \\', 'ends with @name', '/nonsense now'],
};

export const REAL_TOOLS = { claude, codex, gemini, opencode, qwen, pi, kimi, copilot };
