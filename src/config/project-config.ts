/** Reads the section `projects`: the projects, with their API keys and webhook secrets. */
import { defined } from '../base/core/json.ts';
import type { ConfiguredProject } from '../service/calls/projects/projects.ts';
import { type ConfigContext, camelCased, type WrittenSecret } from './config-context.ts';
import type { ConfigFile } from './config-file.ts';

type Previous = NonNullable<ConfigFile['projects'][number]['previous']>;

const MIN_KEY_LENGTH = 16;

export function readProjects(projects: ConfigFile['projects'], context: ConfigContext): ConfiguredProject[] {
  const ids = projects.map((project) => project.app_id);
  context.refuseDuplicates('/projects/*/app_id', ids, 'project');
  context.projectIds = ids;
  return projects.map((project, index) => {
    const {
      app_id: projectId,
      app_key: writtenKey,
      name = projectId,
      webhook_secret: secret,
      previous,
      ...rest
    } = project;
    const at = `/projects/${index}`;
    const key = context.secret(writtenKey, `${at}/app_key`);
    if (key !== '' && key.length < MIN_KEY_LENGTH) {
      const hint = 'create one with  openssl rand -base64 32';
      context.report('weak-key', `\`app_key\` must have at least ${MIN_KEY_LENGTH} characters`, `${at}/app_key`, hint);
    }
    const webhookSecret = secret === undefined ? undefined : readWebhookSecret(secret, `${at}/webhook_secret`, context);
    const before = previous && readPrevious(previous, `${at}/previous`, context);
    return defined<ConfiguredProject>({ ...camelCased(rest), projectId, name, key, webhookSecret, previous: before });
  });
}

function readPrevious(
  { app_key: key, webhook_secret: secret, valid_until: until }: Previous,
  at: string,
  context: ConfigContext,
): NonNullable<ConfiguredProject['previous']> {
  if (key === undefined && secret === undefined) {
    context.report('wrong-keys', '`previous` contains no former credentials', at, 'add app_key or webhook_secret');
  }
  const untilMs = Date.parse(until);
  if (Number.isNaN(untilMs)) {
    context.report(
      'wrong-value',
      `${until} is not a date and time`,
      `${at}/valid_until`,
      'such as 2026-12-01T00:00:00Z',
    );
  }
  return defined({
    key: context.optionalSecret(key, `${at}/app_key`),
    webhookSecret: secret === undefined ? undefined : readWebhookSecret(secret, `${at}/webhook_secret`, context),
    untilMs,
  });
}

function readWebhookSecret(written: WrittenSecret, pointer: string, context: ConfigContext): string {
  const secret = context.secret(written, pointer);
  if (secret !== '' && !/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret)) {
    const hint = 'create one with  echo whsec_$(openssl rand -base64 32)';
    context.report('wrong-value', 'must be whsec_ and 24 to 64 bytes in base64', pointer, hint);
  }
  return secret;
}
