/** Options shared by several commands. */
export const CONFIG: [flags: string, description: string] = [
  '-c, --config <file>',
  'configuration of the service (default: callweave.yaml, else the demo)',
];

/** Help text of administrator commands. */
export const AS_ADMINISTRATOR = `
Credentials: CALLWEAVE_ADMIN_TOKEN in the environment, else \`admin.token\` of the configuration.`;

export const URL_OF: typeof CONFIG = [
  '--url <address>',
  'URL of the service (default: CALLWEAVE_URL, else the configuration, else http://127.0.0.1:8080)',
];
