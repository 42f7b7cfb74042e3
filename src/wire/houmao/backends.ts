/** How an agent is run, by its name in manifests, session directories and responses. */
export const BACKEND = {
  /** In a terminal of Rouse. */
  terminal: 'local_interactive',
  /** As one process for each turn. */
  claudeTurns: 'claude_headless',
  codexTurns: 'codex_headless',
  geminiTurns: 'gemini_headless',
  kimiTurns: 'kimi_headless',
  turns: 'generic_headless',
  /** Recognised in manifests, but not run. */
  codexServer: 'codex_app_server',
  /** In a terminal that a CAO server owns. */
  cao: 'cao_rest',
  /** In a terminal that a fleet server owns. */
  server: 'houmao_server_rest',
} as const;
