/** How an agent is run, by the names of manifests, session directories and answers. */
export const BACKEND = {
  /** In a terminal of ours. */
  terminal: 'local_interactive',
  /** As one process for each turn. */
  claudeTurns: 'claude_headless',
  codexTurns: 'codex_headless',
  geminiTurns: 'gemini_headless',
  kimiTurns: 'kimi_headless',
  turns: 'generic_headless',
  /** Recognised in manifests, and not run. */
  codexServer: 'codex_app_server',
  /** In a terminal that a CAO server owns. */
  cao: 'cao_rest',
  /** In a terminal that a fleet server owns. */
  server: 'houmao_server_rest',
} as const;
