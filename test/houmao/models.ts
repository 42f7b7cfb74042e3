/**
 * The fields of the source's models: what Houmao 0.7.1 answers on each route and writes into each file, and what the requests
 * inbox, the message queue and the sweeper answer. Facts alone: names of fields. `x?` is left out where it has no value; every other
 * field is there, with null if need be.
 */
export type Part = Model | readonly [Model];
export interface Model {
  values: readonly string[];
  parts: Readonly<Record<string, Part>>;
}

/** Fields with a value of their own, or a map; fields with objects; `[…]`: lists of objects. */
const model = (values: string, parts: Readonly<Record<string, Part>> = {}): Model => ({
  values: values.split(/\s+/).filter(Boolean),
  parts,
});
const with_ = (base: Model, values: string, parts: Readonly<Record<string, Part>> = {}): Model => ({
  values: [...base.values, ...model(values).values],
  parts: { ...base.parts, ...parts },
});

const status = model(`schema_version protocol_version attach_identity backend tmux_session_name gateway_health
  managed_agent_connectivity managed_agent_recovery request_admission terminal_surface_eligibility active_execution
  execution_mode queue_depth gateway_host gateway_port gateway_tmux_window_id gateway_tmux_window_index gateway_tmux_pane_id
  managed_agent_instance_epoch managed_agent_instance_id`);

const trouble = model('kind message details');
const diagnostics = model('availability transport_state process_state parse_status', {
  probe_error: trouble,
  parse_error: trouble,
});
const observed = {
  diagnostics,
  probe_snapshot:
    model(`observed_at_utc pane_id pane_pid captured_text_hash captured_text_length captured_text_excerpt
    matched_process_names`),
  parsed_surface:
    model(`parser_family parser_preset_id parser_preset_version availability business_state input_mode ui_context
    normalized_projection_text dialog_text dialog_head dialog_tail anomaly_codes baseline_invalidated operator_blocked_excerpt`),
  surface: model('accepting_input editing_input ready_posture'),
  stability: model('signature stable stable_for_seconds stable_since_utc'),
};
const turns = { turn: model('phase'), last_turn: model('result source updated_at_utc') };
const tuiState = model('terminal_id', {
  tracked_session:
    model(`tracked_session_id session_name tool observed_tool_version tmux_session_name tmux_window_name
    terminal_aliases agent_name agent_id manifest_path session_root`),
  ...observed,
  ...turns,
  recent_transitions: [
    model(`recorded_at_utc summary changed_fields diagnostics_availability turn_phase last_turn_result last_turn_source
      transport_state process_state parse_status`),
  ],
});
const tuiHistory = model('terminal_id tracked_session_id', {
  entries: [model('recorded_at_utc', { ...observed, ...turns })],
});

const chatSession = model('', {
  current: model('id'),
  startup_default: model('mode id'),
  next_prompt_override: model('mode'),
});
const headlessState = model(
  `schema_version runtime_resumable tmux_session_live can_accept_prompt_now interruptible request_admission active_execution
  queue_depth active_turn_id`,
  { chat_session: chatSession },
);

const accepted = model(
  'request_id request_kind state accepted_at_utc queue_depth managed_agent_instance_epoch',
);
const prompted = model('status action sent forced detail');
const keysSent = model('status action detail');

const reminder = model(
  `schema_version reminder_id mode delivery_kind title prompt ranking paused selection_state delivery_state created_at_utc
  next_due_at_utc interval_seconds last_started_at_utc blocked_by_reminder_id`,
  { send_keys: model('sequence ensure_enter') },
);
const reminders = model('schema_version effective_reminder_id', { reminders: [reminder] });
const reminderDeleted = model('schema_version status action reminder_id deleted detail');

const participant = model('address display_name principal_id');
const message = model(
  `message_ref thread_ref created_at_utc subject read answered archived box unread body_preview body_text`,
  {
    sender: participant,
    to: [participant],
    cc: [participant],
    reply_to: [participant],
    attachments: [model('attachment_id kind media_type locator size_bytes sha256 label')],
  },
);
const mailbox = model('schema_version transport principal_id address');
const mailStatus = with_(mailbox, 'bindings_version');
const mailList = with_(mailbox, 'box message_count open_count unread_count', { messages: [message] });
const mailOne = with_(mailbox, 'operation', { message });
const mailMany = with_(mailbox, 'operation message_count', { messages: [message] });
const notifier = model(`schema_version enabled interval_seconds mode supported support_error last_poll_at_utc
  last_notification_at_utc last_error`);

/** Of a gateway, below `/v1`. */
const V1: Readonly<Record<string, Model>> = {
  'POST /requests': accepted,
  'POST /control/prompt': prompted,
  'POST /control/send-keys': keysSent,
  'GET /control/headless/state': headlessState,
  'POST /control/headless/next-prompt-session': headlessState,
  'GET /reminders': reminders,
  'POST /reminders': reminders,
  'GET /reminders/{reminder_id}': reminder,
  'PUT /reminders/{reminder_id}': reminder,
  'DELETE /reminders/{reminder_id}': reminderDeleted,
  'GET /mail-notifier': notifier,
  'PUT /mail-notifier': notifier,
  'DELETE /mail-notifier': notifier,
};
const TUI: Readonly<Record<string, Model>> = {
  'GET /tui/state': tuiState,
  'GET /tui/history': tuiHistory,
  'POST /tui/note-prompt': tuiState,
};
const MAIL: Readonly<Record<string, Model>> = {
  'GET /mail/status': mailStatus,
  'POST /mail/list': mailList,
  'POST /mail/check': mailList,
  'POST /mail/peek': mailOne,
  'POST /mail/read': mailOne,
  'POST /mail/send': mailOne,
  'POST /mail/post': mailOne,
  'POST /mail/reply': mailOne,
  'POST /mail/mark': mailMany,
  'POST /mail/move': mailMany,
  'POST /mail/archive': mailMany,
};

const below = (prefix: string, models: Readonly<Record<string, Model>>) =>
  Object.fromEntries(
    Object.entries(models).map(([route, fields]) => [route.replace(' ', ` ${prefix}`), fields]),
  );

export const GATEWAY_MODELS: Readonly<Record<string, Model>> = {
  'GET /health': model('protocol_version status'),
  'GET /v1/status': status,
  ...below('/v1', V1),
  ...below('/v1/control', TUI),
  ...below('/v1', MAIL),
};

const identity =
  model(`tracked_agent_id transport tool session_name terminal_id runtime_session_id tmux_session_name
  tmux_window_name manifest_path session_root agent_name agent_id`);
const turn = model('phase active_turn_id');
const lastTurn = model('result turn_id turn_index updated_at_utc');
const gatewaySummary =
  model(`gateway_health managed_agent_connectivity managed_agent_recovery request_admission active_execution
  queue_depth gateway_host gateway_port`);
const mailboxSummary = model('transport principal_id address');
const state = model('tracked_agent_id availability memory_root memo_file pages_dir', {
  identity,
  turn,
  last_turn: lastTurn,
  diagnostics: [trouble],
  mailbox: mailboxSummary,
  gateway: gatewaySummary,
});

/** What `detail` of a state is depends on its transport. */
export const DETAILS: Readonly<Record<string, Model>> = {
  tui: model(
    'transport terminal_id canonical_terminal_state_route canonical_terminal_history_route',
    observed,
  ),
  headless: model(
    `transport runtime_resumable tmux_session_live can_accept_prompt_now interruptible active_turn_started_at_utc
    active_turn_interrupt_requested_at_utc last_turn_status last_turn_started_at_utc last_turn_completed_at_utc
    last_turn_completion_source last_turn_returncode last_turn_history_summary last_turn_error`,
    {
      chat_session: chatSession,
      turn,
      last_turn: lastTurn,
      mailbox: mailboxSummary,
      gateway: gatewaySummary,
      diagnostics: [trouble],
    },
  ),
};

const acted = model('success tracked_agent_id detail turn_id manifest_path session_root');

const request =
  model(`id kind requester_type requester_id org_id recipient_type recipient_id title detail status responder_type
  responder_id priority created_at updated_at responded_at last_nudged_at workspace_name`);
const requestList = model('', { requests: [request] });
const thread = model('', {
  request,
  messages: [model('id request_id author_type author_id body created_at')],
});
const requestCreated = model('request_id status');
const messageAdded = model('status request_id message_id');

const INBOX: Readonly<Record<string, Model>> = {
  'POST ': requestCreated,
  'GET ': requestList,
  'GET /inbox': requestList,
  'GET /{request_id}': thread,
  'POST /{request_id}/respond': requestCreated,
  'POST /{request_id}/messages': messageAdded,
  'POST /{request_id}/cancel': requestCreated,
};

const AGENT = '/houmao/agents/{agent_ref}';

export const SERVER_MODELS: Readonly<Record<string, Model>> = {
  'GET /health': model('status service houmao_service child_cao?'),
  'GET /houmao/server/current-instance': model(
    'schema_version status pid api_base_url server_root started_at_utc child_cao?',
  ),
  'POST /houmao/server/shutdown': model('success'),
  'POST /houmao/launches/register': model('success session_name terminal_id'),
  'GET /houmao/agents': model('', { agents: [identity] }),
  'POST /houmao/agents/headless/launches': model(
    'success tracked_agent_id manifest_path session_root detail',
    {
      identity,
    },
  ),
  ...below(AGENT, {
    'GET ': identity,
    'GET /state': state,
    'GET /state/detail': model('tracked_agent_id detail', { identity, summary_state: state }),
    'GET /history': model('tracked_agent_id', {
      entries: [model('recorded_at_utc summary availability turn_phase last_turn_result turn_id')],
    }),
    'POST /requests':
      model(`success tracked_agent_id request_id request_kind disposition detail headless_turn_id
      headless_turn_index`),
    'POST /interrupt': acted,
    'POST /stop': acted,
    'POST /turns': model('success tracked_agent_id turn_id turn_index status detail'),
    'GET /turns/{turn_id}':
      model(`tracked_agent_id turn_id turn_index status started_at_utc completed_at_utc returncode
      completion_source stdout_path stderr_path status_path history_summary error`),
    'GET /turns/{turn_id}/events': model('tracked_agent_id turn_id', {
      entries: [model('kind message turn_index timestamp_utc payload')],
    }),
    // Text.
    'GET /turns/{turn_id}/artifacts/{name}': model(''),
    'POST /gateway/internal/headless-prompt': model('success'),
    'GET /gateway': status,
    'POST /gateway/attach': status,
    'POST /gateway/detach': status,
    'GET /mail/resolve-live': model(
      'schema_version source transport principal_id address bindings_version gateway_available mailbox',
      {
        gateway: model('source host port base_url protocol_version state_path'),
        managed_agent: model('mode agent_ref tracked_agent_id agent_name agent_id tmux_session_name'),
      },
    ),
    ...below('/gateway', V1),
    ...below('/gateway', TUI),
    ...MAIL,
  }),
  ...below('/workspaces/{workspace_id}/requests', INBOX),
  ...below('/requests', INBOX),
  'GET /requests/pending': requestList,
  'POST /workspaces/{workspace_id}/a2a': model('queued queue_id queue_depth message'),
  'GET /workspaces/{workspace_id}/a2a/queue/{queue_id}':
    model(`queue_id workspace_id status priority attempts last_error
    enqueued_at dispatched_at completed_at expires_at response_body`),
  'POST /admin/a2a-queue/drop-stale': model('dropped'),
};

export const ERROR = model('detail');
export const REFUSED_PROMPT = model('', { detail: model('status action sent forced error_code detail') });

const attach = model(
  `schema_version attach_identity backend tmux_session_name working_directory backend_metadata manifest_path agent_def_dir
  runtime_session_id desired_host desired_port`,
);
const turnsOf = 'turn_index role_bootstrap_applied working_directory';
const endpoint = model(
  'api_base_url managed_agent_ref terminal_id profile_name profile_path parsing_mode tmux_window_name',
);
const provenance =
  model(`requested_operator_prompt_mode detected_tool_version selected_strategy_id selection_source
  override_env_var_name`);

export const FILE_MODELS = {
  manifest: model(
    `schema_version backend tool role_name created_at_utc working_directory brain_manifest_path agent_name agent_id
    tmux_session_name registry_generation_id registry_launch_authority backend_state`,
    {
      runtime:
        model(`session_id memory_root memo_file pages_dir agent_def_dir agent_pid registry_generation_id
        registry_launch_authority`),
      tmux: model('session_name primary_window_index primary_window_role primary_window_name'),
      interactive: model(
        `turn_index working_directory role_bootstrap_applied terminal_id parsing_mode tmux_window_name`,
      ),
      agent_launch_authority: model(
        `backend tool tmux_session_name primary_window_index working_directory session_id profile_name profile_path
        session_origin posture_kind launch_args`,
        { launch_env: [model('mode name value?')] },
      ),
      gateway_authority: model('', { attach: endpoint, control: endpoint }),
      launch_plan: model('backend tool executable args working_directory env_var_names metadata', {
        home_selector: model('env_var home_path'),
        role_injection: model('method role_name'),
        mailbox: model(
          'transport principal_id address bindings_version filesystem_root mailbox_kind mailbox_path',
        ),
        launch_policy_provenance: provenance,
      }),
      launch_policy_provenance: provenance,
      headless: model(`session_id ${turnsOf} resume_selection_kind resume_selection_value`),
      local_interactive: model(turnsOf),
      houmao_server: model('api_base_url session_name terminal_id parsing_mode tmux_window_name turn_index'),
      cao: model(`api_base_url session_name terminal_id profile_name profile_path tmux_window_name parsing_mode
        turn_index`),
      codex: model('thread_id turn_index pid process_started_at_utc'),
    },
  ),
  attach,
  gateway_manifest: with_(
    attach,
    `gateway_pid gateway_host gateway_port gateway_protocol_version gateway_execution_mode gateway_tmux_window_id
    gateway_tmux_window_index gateway_tmux_pane_id`,
  ),
  desired_config: model('schema_version desired_host desired_port desired_execution_mode', {
    desired_tui_tracking_timings:
      model(`watch_poll_interval_seconds stability_threshold_seconds completion_stability_seconds
      unknown_to_stalled_timeout_seconds stale_active_recovery_seconds final_stable_active_recovery_seconds`),
  }),
  state: status,
  current_instance:
    model(`schema_version protocol_version pid host port execution_mode tmux_window_id tmux_window_index
    tmux_pane_id managed_agent_instance_epoch managed_agent_instance_id`),
  registry_record: model('schema_version agent_name agent_id generation_id published_at lease_expires_at', {
    identity: model('backend tool'),
    runtime: model('manifest_path session_root agent_def_dir'),
    terminal: model('kind session_name'),
    gateway: model('host port state_path protocol_version'),
    mailbox: model('transport principal_id address filesystem_root bindings_version'),
  }),
  server_instance: model('schema_version status pid api_base_url server_root started_at_utc child_cao?'),
} satisfies Record<string, Model>;

/** What the answer or the file has otherwise than the model: `- missing`, `+ extra`. Null stands for any part. */
export function differences({ values, parts }: Model, found: unknown, at = ''): string[] {
  if (found === null || typeof found !== 'object') return [`${at || '.'} is no object`];
  const has = found as Record<string, unknown>;
  const known = new Set([...values.map((name) => name.replace('?', '')), ...Object.keys(parts)]);
  const wanted = [...values.filter((name) => !name.endsWith('?')), ...Object.keys(parts)];
  return [
    ...wanted.filter((name) => !(name in has)).map((name) => `- ${at}${name}`),
    ...Object.keys(has)
      .filter((name) => !known.has(name))
      .map((name) => `+ ${at}${name}`),
    ...Object.entries(parts).flatMap(([name, part]) => insideOf(part, has[name] ?? null, `${at}${name}`)),
  ];
}

function insideOf(part: Part, value: unknown, at: string): string[] {
  if (value === null) return [];
  if (!isList(part)) return differences(part, value, `${at}.`);
  if (!Array.isArray(value)) return [`${at} is no list`];
  return [...new Set(value.flatMap((each) => differences(part[0], each, `${at}[].`)))];
}

const isList = (part: Part): part is readonly [Model] => Array.isArray(part);
