/**
 * Templates of `callweave init`: a flow that comes with the program, and the configuration for it. Flows and tests come
 * from `flows` and `examples`, where they are tested. `init.ts` writes the files.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programFile } from '../base/core/program-files.ts';

interface Template {
  /** Title in the README. */
  title: string;
  flow: string;
  /** Folder with the flow, its tests and further files. */
  from: string;
  /** Files next to the flow, in addition to its tests. */
  more?: readonly string[];
  /** Phones that may register. Their passwords are generated. */
  users?: readonly string[];
  /** Suggested `callweave` command for a first test. */
  also?: string;
}

export const TEMPLATES: Readonly<Record<string, Template>> = {
  menu: { title: 'A menu', flow: 'welcome-menu', from: 'flows' },
  survey: { title: 'A survey of three questions', flow: 'survey', from: 'flows' },
  reminder: {
    title: 'A broadcast that reminds people of appointments',
    flow: 'reminder',
    from: 'examples/12-broadcast',
    more: ['broadcast.json', 'contacts.csv', 'callees.yaml'],
    also: 'rehearse flows/broadcast.json --numbers flows/contacts.csv --callees flows/callees.yaml',
  },
  'call-centre': {
    title: 'A call centre with two desks, a queue and voicemail',
    flow: 'call-centre',
    from: 'examples/09-call-centre',
    users: ['anna', 'ben', 'carla', 'dan'],
  },
};

export interface ProjectOptions {
  template: string;
  /** Command that starts the program. */
  command: string;
  /** Generates the password of a phone. */
  newPassword(): string;
}

/** Files of the project by path. */
export function projectFiles({ template: name, command, newPassword }: ProjectOptions): Map<string, string> {
  const template = TEMPLATES[name]!;
  return new Map([
    ['callweave.yaml', configurationOf(template)],
    ...flowFiles(template),
    ...(template.users ?? []).map((user): [string, string] => [passwordFile(user), `${newPassword()}\n`]),
    ['README.md', readmeOf(template, command)],
    ['.gitignore', 'data/\nnode_modules/\nsecrets/\n'],
    ...editorFiles(),
  ]);
}

/** True for files that only the owner may read. */
export const isSecret = (path: string): boolean => path.startsWith('secrets/');

const passwordFile = (user: string): string => `secrets/${user}`;

function flowFiles({ flow, from, more = [] }: Template): [string, string][] {
  const folder = programFile(from);
  const isOfFlow = (file: string): boolean => file.startsWith(`${flow}.`) || more.includes(file);
  return readdirSync(folder)
    .filter(isOfFlow)
    .map((file) => [`flows/${file}`, withoutEditorLine(readFileSync(join(folder, file), 'utf8'))]);
}

/** Removes a line whose schema path is only valid in the folder of the program; the project has editor settings. */
const withoutEditorLine = (text: string): string => text.replace(/^# yaml-language-server:.*\r?\n/, '');

const configurationOf = ({ flow, users }: Template): string => `# docs/configuration.md of the package lists every key.
data_directory: data
flows_directory: flows
http: { host: 127.0.0.1, port: 8080 }
sip:
  # The address of this machine that phones reach; 127.0.0.1 is this machine alone.
  host: 127.0.0.1
  port: 5060
${usersOf(users)}numbers:
  - { number: "1000", flow: ${flow} }
`;

const usersOf = (users: readonly string[] | undefined): string =>
  users === undefined
    ? ''
    : `  # Phones register as these, with the passwords of the files.
  users:
${users.map((user) => `    - { name: ${user}, password: { file: ${passwordFile(user)} } }\n`).join('')}`;

const readmeOf = ({ title, flow, also }: Template, command: string): string => `# ${title}

\`\`\`sh
${command} check     # is every outcome of the flow routed?
${command} test      # its tests, in virtual time
${command} call flows/${flow}.flow.yaml   # talk to it in this terminal
${also === undefined ? '' : `${command} ${also}\n`}${command} start     # the service; it prints a link to the studio and the credentials of the API
\`\`\`
Then call \`sip:1000@127.0.0.1\` with a softphone on this machine. Flow and tests are in \`flows\`, everything else is in \`callweave.yaml\`: more flows get their numbers there.
After an upgrade, \`${command} reference schema > .vscode/flow.schema.json\` brings the editor up to date.
`;

const SCHEMAS: Readonly<Record<string, string>> = {
  'flow.schema.json': 'schemas/editor/flow.schema.json',
  'properties.schema.json': 'schemas/editor/properties.schema.json',
  'scenario.schema.json': 'schemas/scenario.schema.json',
  'config.schema.json': 'schemas/config.schema.json',
  // The last two schemas refer to it.
  'components.schema.json': 'schemas/components.schema.json',
};

function editorFiles(): [string, string][] {
  const settings = {
    'yaml.schemas': {
      './.vscode/flow.schema.json': '*.flow.yaml',
      './.vscode/properties.schema.json': '*.properties.yaml',
      './.vscode/scenario.schema.json': '*.test.yaml',
      './.vscode/config.schema.json': 'callweave.yaml',
    },
  };
  const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
  return [
    ['.vscode/settings.json', json(settings)],
    ['.vscode/extensions.json', json({ recommendations: ['redhat.vscode-yaml'] })],
    ...Object.entries(SCHEMAS).map(([name, file]): [string, string] => [
      `.vscode/${name}`,
      readFileSync(programFile(file), 'utf8'),
    ]),
  ];
}
