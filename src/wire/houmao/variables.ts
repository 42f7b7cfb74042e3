/** Environment variables with names from Houmao, which its programs and ours read and publish. */
export const VARIABLE = {
  /** Where things are. */
  runtimeDir: 'HOUMAO_GLOBAL_RUNTIME_DIR',
  mailboxDir: 'HOUMAO_GLOBAL_MAILBOX_DIR',
  registryDir: 'HOUMAO_GLOBAL_REGISTRY_DIR',
  /** How a command prints. */
  printStyle: 'HOUMAO_CLI_PRINT_STYLE',
  /** Whose session it is. */
  manifestPath: 'HOUMAO_MANIFEST_PATH',
  agentId: 'HOUMAO_AGENT_ID',
  agentDefDir: 'HOUMAO_AGENT_DEF_DIR',
  agentMemoryDir: 'HOUMAO_AGENT_MEMORY_DIR',
  agentMemoFile: 'HOUMAO_AGENT_MEMO_FILE',
  agentPagesDir: 'HOUMAO_AGENT_PAGES_DIR',
  /** Its gateway. */
  gatewayHost: 'HOUMAO_AGENT_GATEWAY_HOST',
  gatewayPort: 'HOUMAO_AGENT_GATEWAY_PORT',
  gatewayState: 'HOUMAO_GATEWAY_STATE_PATH',
  gatewayProtocol: 'HOUMAO_GATEWAY_PROTOCOL_VERSION',
  gatewayTokenFile: 'HOUMAO_GATEWAY_TOKEN_FILE',
  /** How that gateway runs. */
  executionMode: 'HOUMAO_GATEWAY_EXECUTION_MODE',
  windowId: 'HOUMAO_GATEWAY_TMUX_WINDOW_ID',
  windowIndex: 'HOUMAO_GATEWAY_TMUX_WINDOW_INDEX',
  paneId: 'HOUMAO_GATEWAY_TMUX_PANE_ID',
  /** Of older protocols, or without effect here. */
  oldAttachPath: 'HOUMAO_GATEWAY_ATTACH_PATH',
  oldGatewayRoot: 'HOUMAO_GATEWAY_ROOT',
  oldProxy: 'HOUMAO_GATEWAY_RESPECT_PROXY_ENV',
  oldOverlayDir: 'HOUMAO_PROJECT_OVERLAY_DIR',
  oldOverlayMode: 'HOUMAO_PROJECT_OVERLAY_DISCOVERY_MODE',
  oldStalwartUrl: 'HOUMAO_STALWART_BASE_URL',
} as const;

/** Whether a variable has one of Houmao's names, ours or not. */
export const isHoumaoVariable = (name: string): boolean => name.startsWith('HOUMAO_');
