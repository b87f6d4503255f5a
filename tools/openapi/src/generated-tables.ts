import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { CODES_OF_401, ERROR_CODES } from '@cxp/error-envelopes';
import { SURVEY_VIEWS } from '@cxp/follower/survey-views';
import { HISTORY_VIEWS, VIEWS } from '@cxp/follower/views';
import { jobDescriptions } from '@cxp/storage';
import { workspaceRoot } from '@cxp/testing/local-servers';
import '@cxp/areas/described-services';
import {
  MAX_BODY_BYTES,
  MAX_COLUMN_TITLE_CHARACTERS,
  MAX_RECORD_BYTES,
  MAX_RECORDS,
  MAX_TITLE_CHARACTERS,
  MAX_VALUES,
} from '@cxp/records';
import { recordAreas } from '@cxp/areas/wiring';
import { services } from '@cxp/areas/services';
import { LINK_BODY } from '@cxp/survey-api/links/link.controller';
import { MAX_LIST_BYTES, MAX_MAPPING_ITEMS, MAX_TEXT_CHARACTERS } from '@cxp/survey-api/links/link.dto';
import {
  LARGE_ANSWER_BYTES,
  LARGE_BODIES,
  LARGE_BODY_BYTES,
  MAX_CONNECTIONS,
  MAX_HEADER_BYTES,
  MAX_PIECES,
  MAX_WAITING,
  MAX_WAITING_OF_CONNECTION,
  PIECE_BYTES,
  SMALL_BODIES,
  UNREAD_ANSWERS,
} from '@cxp/service-kit';
import { CAMPAIGN_LIMITS } from '@cxp/survey-api/records/campaign-problems';
import { MAX_METADATA_FIELDS } from '@cxp/survey-api/records/survey-records';
import {
  MAX_FRAME_BYTES,
  MAX_MESSAGE_PARTS,
  MAX_UNREAD_BYTES,
  MAX_UNREAD_BYTES_IN_ALL,
  MAX_WAITING_BYTES_IN_ALL,
  MAX_WAITING_FRAMES,
} from '@cxp/webchat-gateway/chat-protocol/limits';
import { MAX_FEEDBACK_CHARACTERS, MAX_MESSAGE_CHARACTERS } from '@cxp/webchat-gateway/chat-protocol/shapes';
import { OPENING_WAIT_MS, OPENINGS_AT_ONCE } from '@cxp/webchat-gateway/sockets/chat-socket.handler';
import { MAX_SOCKETS, MAX_SOCKETS_OF_ORGANIZATION } from '@cxp/webchat-gateway/sockets/socket-server';
import { MAX_ENDPOINTS } from '@cxp/webhooks';

/** The lists of documents, by document and by the name in their markers: `<!-- generated: <name> -->`, `<!-- end -->`. */
const LISTS: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'docker/README.md': { settings: settingsList, bounds: boundsTable, jobs: jobsTable },
  'apps/README.md': { codes: codesList, limits: limitsList, views: viewsList },
};

const ALERTS = 'docker/monitoring/alerts.yaml';
const PROMETHEUS_RULE = 'docker/kubernetes/monitoring/prometheus-rule.yaml';

/** Names, types and sentences of the fields that a copy has columns for, and the timezone that it has by default. */
const COPIED_FIELDS = 'libs/follower/src/fields.json';
const COPIED_SCHEMAS = {
  'contact-center-export': 'ConversationSessionResponse',
  'survey-api': 'SurveyResponseDto',
};

/** Documents with their lists, the rule of the Prometheus Operator, and the fields of copies, by path. */
export async function generatedDocuments(): Promise<Record<string, string>> {
  const documents = Object.entries(LISTS).map(async ([path, lists]) => {
    const text = Object.entries(lists).reduce(
      (whole, [name, list]) => withList(path, whole, name, list()),
      read(path),
    );
    const options = await resolveConfig(join(workspaceRoot, path));
    return [path, await format(text, { ...options, filepath: path })] as const;
  });
  return {
    ...Object.fromEntries(await Promise.all(documents)),
    [PROMETHEUS_RULE]: prometheusRule(),
    [COPIED_FIELDS]: await copiedFields(),
  };
}

async function copiedFields(): Promise<string> {
  const areas = Object.entries(COPIED_SCHEMAS).map(([app, schema]) => {
    const { components } = JSON.parse(read(`apps/${app}/openapi.json`)) as OpenAPIObject;
    const { properties = {} } = components!.schemas![schema] as { readonly properties?: object };
    const fields = Object.entries(properties).map(([name, property]) => {
      const {
        type,
        format: form,
        description,
      } = property as {
        readonly type: string | readonly string[];
        readonly format?: string;
        readonly description?: string;
      };
      const [one, isNullable] = Array.isArray(type) ? [type[0], type.includes('null')] : [type, false];
      return [name, { type: one, ...(form && { format: form }), isNullable, description }];
    });
    return [app, Object.fromEntries(fields)];
  });
  const options = await resolveConfig(join(workspaceRoot, COPIED_FIELDS));
  const timezone = defaultTimezone();
  return format(JSON.stringify({ timezone, ...Object.fromEntries(areas) }), {
    ...options,
    filepath: COPIED_FIELDS,
  });
}

function defaultTimezone(): string {
  const { paths } = JSON.parse(read('apps/contact-center-export/openapi.json')) as OpenAPIObject;
  const parameters = paths['/external/conversation-sessions']!.get!.parameters as {
    readonly name: string;
    readonly schema: { readonly default: string };
  }[];
  return parameters.find(({ name }) => name === 'timezone')!.schema.default;
}

function read(path: string): string {
  return readFileSync(join(workspaceRoot, path), 'utf8');
}

function withList(path: string, text: string, name: string, list: string): string {
  const begin = `<!-- generated: ${name} -->`;
  const [before, rest] = text.split(begin);
  const end = rest?.indexOf('<!-- end -->') ?? -1;
  if (end < 0) throw new Error(`${path} has no place for the list "${name}"`);
  return `${before}${begin}\n\n${list}\n\n${rest!.slice(end)}`;
}

/** The views of a copy, as the follower makes them. */
function viewsList(): string {
  const lines = [...VIEWS, ...HISTORY_VIEWS, ...SURVEY_VIEWS].map(({ name, parameters, sentence }) => {
    const call = parameters ? `(${parameters.map((parameter) => parameter.name).join(', ')})` : '';
    return `- \`${name}${call}\`: ${sentence}`;
  });
  return lines.join('\n');
}

/** What runs by itself, in the services that are loaded: all. */
function jobsTable(): string {
  const lines = [...jobDescriptions.values()]
    .sort((one, other) => one.name.localeCompare(other.name))
    .map(({ name, services: of, pauseMs, connections, missed }) => [
      name,
      of,
      `${pauseMs / 1_000} s`,
      connections,
      missed,
    ]);
  return table(['what', 'processes of', 'pause', 'connections', 'what is seen while it does not run'], lines);
}

function table(columns: readonly string[], lines: readonly (readonly string[])[]): string {
  return [columns, columns.map(() => '-'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The bounds of a process that no setting changes. */
function boundsTable(): string {
  const large = bytes(LARGE_BODY_BYTES);
  const opened = 'connections of chats that are opened at once, of one organization';
  const of = ({ perOrganization, total }: { readonly perOrganization: number; readonly total: number }) =>
    [bytes(perOrganization), bytes(total)] as const;
  const links = LINK_BODY.largeAtOnce;
  return table(
    ['what', 'of one caller or connection', 'of all'],
    [
      ['connections', '', count(MAX_CONNECTIONS)],
      [
        'requests that wait for an earlier one of their connection',
        count(MAX_WAITING_OF_CONNECTION),
        count(MAX_WAITING),
      ],
      [`bodies that are received or in work, to ${large} of each`, ...of(SMALL_BODIES)],
      ['the rest of larger bodies', ...of(LARGE_BODIES)],
      [`C4's bodies above ${large}, received or in work`, count(links.perOrganization), count(links.total)],
      [`answers above ${bytes(LARGE_ANSWER_BYTES)} that are not read yet`, ...of(UNREAD_ANSWERS)],
      ["frames that a chat's client does not read", bytes(MAX_UNREAD_BYTES), bytes(MAX_UNREAD_BYTES_IN_ALL)],
      [
        "frames of a chat's client that wait for its rate",
        count(MAX_WAITING_FRAMES),
        bytes(MAX_WAITING_BYTES_IN_ALL),
      ],
      [
        'connections of chats, of one organization and of all',
        count(MAX_SOCKETS_OF_ORGANIZATION),
        count(MAX_SOCKETS),
      ],
      [
        `${opened}; the rest waits ${OPENING_WAIT_MS / 1_000} s, then is closed with 1013`,
        count(OPENINGS_AT_ONCE),
        '',
      ],
    ],
  );
}

interface Setting {
  readonly name: string;
  readonly value: string;
  readonly meaning: string;
}

const MIGRATIONS = 'Migrations';

/** The settings of all services, each at the first area that has it. */
function settingsList(): string {
  const sources = [
    { path: 'libs/service-kit/src/settings/service-settings.ts', area: 'All areas' },
    { path: 'libs/service-kit/src/settings/feed-settings.ts', area: 'B and C' },
    { path: 'libs/service-kit/src/run-migrations.ts', area: MIGRATIONS },
    ...services.map(({ app, area }, place) => ({
      path: `apps/${app}/src/settings.ts`,
      area: `${'ABC'[place]!}, ${area}`,
    })),
  ];
  const all = sources.map(({ path, area }) => ({ area, settings: settingsIn(path) }));
  const areasWith = (wanted: string) =>
    all.filter(({ settings }) => settings.some(({ name }) => name === wanted)).map(({ area }) => area);
  const sections = all.map(({ area, settings }) => {
    const lines = settings
      .filter(({ name }) => areasWith(name)[0] === area)
      .map(({ name, value, meaning }) => {
        const others = areasWith(name)
          .slice(1)
          .filter((other) => other !== MIGRATIONS);
        const notes = [...others.map((other) => `also ${other[0]!}`), value].filter((note) => note !== '');
        return `- \`${name}\`${notes.length === 0 ? '' : ` (${notes.join('; ')})`}: ${meaning}`;
      });
    return `**${area}**\n\n${lines.join('\n')}`;
  });
  return sections.join('\n\n');
}

/** A description is the comment of a property. */
function settingsIn(path: string): Setting[] {
  const source = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
  const settings = source.statements
    .filter(ts.isClassDeclaration)
    .flatMap(({ members }) => members.filter(ts.isPropertyDeclaration));
  const all = settings.map((property) => {
    const name = property.name.getText();
    const comment = ts.getJSDocCommentsAndTags(property)[0]?.comment;
    if (!comment) throw new Error(`${path}: ${name} has no comment`);
    return { name, value: defaultOf(property), meaning: String(comment).replaceAll(/\s+/g, ' ') };
  });
  return limitsInPairs(all);
}

/** A limit of a second and that of a minute are one line. */
function limitsInPairs(settings: readonly Setting[]): Setting[] {
  return settings.flatMap((setting, place) => {
    if (setting.name.endsWith(PER_MINUTE)) return [];
    if (!setting.name.endsWith('_PER_SEC_LIMIT')) return [setting];
    const { name, value, meaning } = setting;
    const minute = settings[place + 1]!;
    return [{ name, value: `${value}; \`…${PER_MINUTE}\` ${minute.value}`, meaning }];
  });
}

const PER_MINUTE = '_PER_MIN_LIMIT';

function defaultOf({ initializer, questionToken }: ts.PropertyDeclaration): string {
  if (!initializer) return questionToken ? '' : 'required';
  if (initializer.kind === ts.SyntaxKind.TrueKeyword) return '`on`';
  if (initializer.kind === ts.SyntaxKind.FalseKeyword) return '`off`';
  if (ts.isNumericLiteral(initializer)) return `\`${initializer.text}\``;
  return ts.isStringLiteral(initializer) ? `\`${initializer.text}\`` : '';
}

/** The guide has a list of its own for the codes of a 401. */
function codesList(): string {
  const others = ERROR_CODES.filter(([code]) => !CODES_OF_401.includes(code));
  return others.map(([code, meaning]) => `- \`${code}\`: ${meaning}`).join('\n');
}

const count = (value: number) => value.toLocaleString('en');
const bytes = (value: number) => (value < 1_024 ** 2 ? `${value / 1_024} KiB` : `${value / 1_024 ** 2} MiB`);

function limitsList(): string {
  const larger = recordAreas.flatMap(({ types }) =>
    Object.entries(types).flatMap(([type, { maxBytes }]) =>
      maxBytes ? [`\`${type}\` ${bytes(maxBytes)}`] : [],
    ),
  );
  const limits = [
    [
      'the line and headers of a request',
      `${bytes(MAX_HEADER_BYTES)}, else 431: ask for a long list of filters in parts`,
    ],
    ['a body in chunks', `${MAX_PIECES} chunks, and one for each ${PIECE_BYTES} bytes`],
    ['a message', `${count(MAX_MESSAGE_CHARACTERS)} characters`],
    ['feedback of a rating', `${count(MAX_FEEDBACK_CHARACTERS)} characters`],
    ['a frame of a chat socket', `${bytes(MAX_FRAME_BYTES)} in ${MAX_MESSAGE_PARTS} parts`],
    ['frames of a chat socket that wait for its rate', count(MAX_WAITING_FRAMES)],
    ['large answers that you have not read yet', `${bytes(UNREAD_ANSWERS.perOrganization)}, else 429`],
    ['webhook endpoints of an organization in an area', count(MAX_ENDPOINTS)],
    [
      'a mapping of metadata',
      `${count(MAX_MAPPING_ITEMS)} fields; a text ${count(MAX_TEXT_CHARACTERS)} characters; a list ${bytes(MAX_LIST_BYTES)} of JSON`,
    ],
    [
      'a body of records',
      `${count(MAX_RECORDS)} records, ${bytes(MAX_BODY_BYTES)}, ${count(MAX_VALUES)} values`,
    ],
    ['a record', [bytes(MAX_RECORD_BYTES), ...larger].join(', ')],
    [
      'a campaign',
      `${count(CAMPAIGN_LIMITS.questions)} questions, ${count(CAMPAIGN_LIMITS.controls)} options and cells (rows × columns)`,
    ],
    ['names of question columns of an export', `${count(CAMPAIGN_LIMITS.headingCharacters)} characters`],
    [
      'texts of a survey page, as HTML; columns of a matrix count for each row',
      `${count(CAMPAIGN_LIMITS.pageCharacters)} characters`,
    ],
    ['the title of a question, option or row', `${count(MAX_TITLE_CHARACTERS)} characters`],
    ['the title of a column', `${count(MAX_COLUMN_TITLE_CHARACTERS)} characters`],
    ['an organization', `${count(MAX_METADATA_FIELDS)} metadata fields`],
  ];
  return limits.map(([what, most]) => `- ${what}: ${most}`).join('\n');
}

/** The groups of the alerts, as a resource of Kubernetes. */
function prometheusRule(): string {
  const groups = read(ALERTS).replaceAll(/^(?=.)/gm, '  ');
  return `# Made of ${ALERTS} by \`npm run openapi\`.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: cxp
spec:
${groups}`;
}
