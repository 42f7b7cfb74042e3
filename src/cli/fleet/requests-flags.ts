import { codesOf, PARTY_TYPES, TICKET_FILTERS, TICKET_KINDS } from '../../domain/index.ts';
import type { Flag } from '../command.ts';
import { BODY_FLAGS } from '../input/body-text.ts';
import { notBlank, wholeNumber } from '../input/flag-values.ts';
import { FLEET_FLAGS } from './access.ts';

const KIND = {
  name: 'kind',
  value: 'KIND',
  summary: 'only tasks or only approvals',
  choices: codesOf(TICKET_KINDS),
} as const satisfies Flag;
const PAGE = [
  { name: 'limit', value: 'N', summary: 'maximum number to show; default 50', parse: wholeNumber(1, 200) },
  {
    name: 'cursor',
    value: 'CURSOR',
    summary: 'next page: the cursor printed with the previous page',
    parse: notBlank,
  },
] as const satisfies readonly Flag[];
const WORKSPACE = {
  name: 'workspace-id',
  value: 'ID',
  summary: "administrators: this agent's instead of your own",
  parse: notBlank,
} as const satisfies Flag;
const ORG = {
  name: 'org',
  value: 'NAME',
  summary: 'server administrators: act in this org',
  parse: notBlank,
} as const satisfies Flag;
const STATUS = {
  name: 'status',
  value: 'STATUS',
  summary: 'default open',
  choices: TICKET_FILTERS,
} as const satisfies Flag;

export const CREATE_FLAGS = [
  { name: 'to-agent', value: 'REF', summary: 'its name, agent id or workspace id', parse: notBlank },
  { name: 'to-user', value: 'NAME', summary: 'this person', parse: notBlank },
  { name: 'to-anybody', summary: 'anybody in the org; the first to answer' },
  { ...KIND, summary: 'task (default) or approval', default: 'task' },
  { name: 'title', value: 'TEXT', summary: 'one line', required: true, parse: notBlank },
  { name: 'detail', value: 'TEXT', summary: 'what is needed to do it (Markdown)', parse: notBlank },
  {
    name: 'priority',
    value: 'N',
    summary: '0 to 100, higher is more urgent',
    parse: wholeNumber(0, 100),
  },
  {
    name: 'idempotency-key',
    value: 'KEY',
    summary: 'a retry with the same key and content is the same request',
    parse: notBlank,
  },
  ORG,
  ...FLEET_FLAGS,
] as const satisfies readonly Flag[];

export const INBOX_FLAGS = [
  STATUS,
  KIND,
  ...PAGE,
  WORKSPACE,
  ORG,
  ...FLEET_FLAGS,
] as const satisfies readonly Flag[];

export const SENT_FLAGS = [
  { ...STATUS, summary: 'default all' },
  KIND,
  ...PAGE,
  WORKSPACE,
  ORG,
  ...FLEET_FLAGS,
] as const satisfies readonly Flag[];

export const PENDING_FLAGS = [
  STATUS,
  KIND,
  {
    name: 'to',
    value: 'TYPE',
    summary: 'only those to agents, or to people',
    choices: PARTY_TYPES,
  },
  ...PAGE,
  ORG,
  ...FLEET_FLAGS,
] as const satisfies readonly Flag[];

export const SHOW_FLAGS = [...PAGE, ...FLEET_FLAGS] as const satisfies readonly Flag[];

export const RESPOND_FLAGS = [
  { name: 'note', value: 'TEXT', summary: 'a closing note, kept with the answer', parse: notBlank },
  ...FLEET_FLAGS,
] as const satisfies readonly Flag[];

export const MESSAGE_FLAGS = [...BODY_FLAGS, ...FLEET_FLAGS] as const satisfies readonly Flag[];

export const WATCH_FLAGS = [
  {
    name: 'after',
    value: 'ID',
    summary: 'start after this event',
    parse: wholeNumber(0),
  },
  ...FLEET_FLAGS,
] as const satisfies readonly Flag[];
